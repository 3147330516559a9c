// Chooses hosts among any number of them.
import { MultiSelect, type MultiSelectProps } from "@mantine/core";
import { useQuery } from "urql";
import { FindHostsDocument, type FindHostsQuery } from "../generated/documents.js";
import { useFinder, type Findable } from "./found.js";
import { FoundSelect, type ChoosingProperties } from "./FoundSelect.js";
import { useHostNames } from "./hostNames.js";
import { texts } from "../texts/common.js";

type FoundHost = FindHostsQuery["hosts"]["items"][number];

const HOSTS: Findable<FoundHost> = {
  nothing: texts.select.noHost,
  choiceOf: ({ id, name, maintenance }) => ({
    value: String(id),
    label: maintenance ? texts.select.hostInMaintenance(name) : name,
  }),
  useFound(search, pause) {
    const [{ data, fetching }] = useQuery({ query: FindHostsDocument, variables: { search }, pause });
    return { records: data?.hosts.items, total: data?.hosts.meta.total ?? 0, fetching };
  },
};

/** Its values are ids as text. */
export function HostSelect(properties: ChoosingProperties<FoundHost>) {
  const { nameOf } = useHostNames();
  return <FoundSelect kind={HOSTS} nameOf={(id) => nameOf(Number(id))} {...properties} />;
}

/** The same for several. */
export function HostsSelect(properties: Omit<MultiSelectProps, "data" | "filter">) {
  const { nameOf } = useHostNames();
  const chosen = (properties.value ?? []).map((id) => ({ value: id, label: nameOf(Number(id)) }));
  const { recordOf: _, ...finder } = useFinder(HOSTS, { chosen });
  return <MultiSelect {...finder} {...properties} />;
}

interface FilterProperties {
  readonly hostId: number | undefined;
  readonly onChoose: (hostId: number | undefined) => void;
  /** What no host means. */
  readonly anyHost?: string;
  readonly width?: number;
}

/** Narrows a list to a host. */
export function HostFilter({ hostId, onChoose, anyHost = texts.select.anyHost, width = 180 }: FilterProperties) {
  return (
    <HostSelect
      aria-label={texts.select.host}
      placeholder={anyHost}
      clearable
      w={width}
      value={hostId === undefined ? null : String(hostId)}
      onChange={(value) => onChoose(value === null ? undefined : Number(value))}
    />
  );
}
