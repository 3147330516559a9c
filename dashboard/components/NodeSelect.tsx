// Chooses a node: of one host, of the others, or of all.
import { useMemo } from "react";
import { useQuery } from "urql";
import { FindNodesDocument, type FindNodesQuery } from "../generated/documents.js";
import type { Findable } from "./found.js";
import { FoundSelect, type ChoosingProperties } from "./FoundSelect.js";
import { useHostNames } from "./hostNames.js";
import { texts } from "../texts/common.js";
import { statusText } from "../texts/terms.js";

type FoundNode = FindNodesQuery["nodes"]["items"][number];

/** How a node of any host is written as one value. */
export const nodeValue = ({ hostId, node }: { readonly hostId: number; readonly node: string }): string =>
  `${hostId}/${node}`;

export function nodeOfValue(value: string): { readonly hostId: number; readonly node: string } {
  const [hostId = "", node = ""] = value.split("/");
  return { hostId: Number(hostId), node };
}

function marks({ status, host }: FoundNode, withHost: boolean): string {
  const told = [
    ...(status === "ONLINE" ? [] : [statusText(status)]),
    ...(withHost && host.maintenance ? [texts.inMaintenance] : []),
  ];
  return told.length === 0 ? "" : ` (${told.join(", ")})`;
}

const ofHosts = (otherThanHostId: number | null): Findable<FoundNode> => ({
  nothing: texts.select.noNode,
  choiceOf: (node) => ({
    value: nodeValue({ hostId: node.hostId, node: node.name }),
    label: `${texts.hostAndNode(node.host.name, node.name)}${marks(node, true)}`,
    disabled: node.status !== "ONLINE",
  }),
  useFound: (search, pause) => useNodes({ search, hostId: null, otherThanHostId }, pause),
});

const ofHost = (hostId: number | null): Findable<FoundNode> => ({
  nothing: texts.select.noNode,
  choiceOf: (node) => ({ value: node.name, label: `${node.name}${marks(node, false)}` }),
  useFound: (search, pause) => useNodes({ search, hostId, otherThanHostId: null }, pause || hostId === null),
});

interface NodeSearch {
  readonly search: string | null;
  readonly hostId: number | null;
  readonly otherThanHostId: number | null;
}

function useNodes(variables: NodeSearch, pause: boolean) {
  const [{ data, fetching }] = useQuery({ query: FindNodesDocument, variables, pause });
  return { records: data?.nodes.items, total: data?.nodes.meta.total ?? 0, fetching };
}

interface TargetProperties extends ChoosingProperties<FoundNode> {
  /** The host whose nodes are not meant; null: all are. */
  readonly otherThan: number | null;
}

/** A node of any other host; its values are as `nodeValue` writes them. */
export function TargetSelect({ otherThan, ...properties }: TargetProperties) {
  const kind = useMemo(() => ofHosts(otherThan), [otherThan]);
  const { nameOf } = useHostNames();
  const nameOfValue = (value: string): string => {
    const { hostId, node } = nodeOfValue(value);
    return texts.hostAndNode(nameOf(hostId), node);
  };
  return <FoundSelect key={otherThan} kind={kind} nameOf={nameOfValue} {...properties} />;
}

interface NodeProperties extends ChoosingProperties<FoundNode> {
  /** Null: no host is chosen, nothing can be. */
  readonly hostId: number | null;
}

/** A node of one host; its values are names. */
export function NodeSelect({ hostId, ...properties }: NodeProperties) {
  const kind = useMemo(() => ofHost(hostId), [hostId]);
  return <FoundSelect key={hostId} kind={kind} nameOf={(name) => name} disabled={hostId === null} {...properties} />;
}
