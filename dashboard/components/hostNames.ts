// Knows hosts and nodes by name: most records only carry their ids.
import { useLive } from "../client/live.js";
import { HostNamesDocument, type HostNamesQuery } from "../generated/documents.js";

export type NamedHost = HostNamesQuery["hosts"]["items"][number];

export interface HostNames {
  readonly hosts: readonly NamedHost[];
  /** Its name, or its number while names are not there. */
  readonly nameOf: (hostId: number | null | undefined) => string;
  /** Choices of a select. */
  readonly choices: { readonly value: string; readonly label: string }[];
  /** Whether the names have been read. */
  readonly ready: boolean;
}

export function useHostNames(): HostNames {
  const { data } = useLive({ query: HostNamesDocument, variables: {}, kinds: ["HOST"] });
  const hosts = data?.hosts.items ?? [];
  return {
    hosts,
    nameOf: (hostId) => hosts.find(({ id }) => id === hostId)?.name ?? (hostId ? `host ${hostId}` : "–"),
    choices: hosts.map(({ id, name }) => ({ value: String(id), label: name })),
    ready: data !== undefined,
  };
}
