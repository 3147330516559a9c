// Chooses an IP zone of a host.
import { useMemo } from "react";
import { useQuery } from "urql";

import { FindZonesDocument, type FindZonesQuery } from "../generated/documents.js";
import type { Findable } from "./found.js";
import { FoundSelect, type ChoosingProperties } from "./FoundSelect.js";
import { texts } from "../texts/common.js";

type FoundZone = FindZonesQuery["ipZones"]["items"][number];

const ofHost = (hostId: number | null): Findable<FoundZone> => ({
  nothing: texts.select.noZone,
  choiceOf: ({ ref, name, cidr, free }) => ({ value: ref, label: texts.select.zone(name, cidr, free) }),
  useFound(search, pause) {
    const variables = { hostId: hostId ?? 0, search };
    const [{ data, fetching }] = useQuery({ query: FindZonesDocument, variables, pause: pause || hostId === null });
    return { records: data?.ipZones.items, total: data?.ipZones.meta.total ?? 0, fetching };
  },
});

/** How the service refers to a zone. */
export const zoneRef = (id: number): string => `zone:${id}`;

interface Properties extends ChoosingProperties<FoundZone> {
  /** Null: no host is chosen, only the standing choices can be. */
  readonly hostId: number | null;
}

/** Its values are references. */
export function ZoneSelect({ hostId, ...properties }: Properties) {
  const kind = useMemo(() => ofHost(hostId), [hostId]);
  return <FoundSelect key={hostId} kind={kind} nameOf={(ref) => ref.replace(":", " ")} {...properties} />;
}
