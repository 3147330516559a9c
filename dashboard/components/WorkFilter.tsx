// Narrows a list of work, jobs or moves, to a status and a host.
import { Select } from "@mantine/core";
import { sentence } from "../format.js";
import { useHostNames } from "./hostNames.js";

interface Properties<Status extends string> {
  readonly statuses: readonly Status[];
  readonly status: Status | undefined;
  readonly hostId: number | undefined;
  /** What no host means. */
  readonly anyHost: string;
  /** Told the part that was chosen anew; undefined: any. */
  readonly onFilter: (part: { readonly status: Status | undefined } | { readonly hostId: number | undefined }) => void;
}

export function WorkFilter<Status extends string>(properties: Properties<Status>) {
  const { statuses, status, hostId, anyHost, onFilter } = properties;
  const { choices } = useHostNames();
  return (
    <>
      <Select
        aria-label="Status"
        placeholder="Any status"
        clearable
        w={170}
        data={statuses.map((value) => ({ value, label: sentence(value) }))}
        value={status ?? null}
        onChange={(value) => onFilter({ status: statuses.find((each) => each === value) })}
      />
      <Select
        aria-label="Host"
        placeholder={anyHost}
        clearable
        w={180}
        data={choices}
        value={hostId === undefined ? null : String(hostId)}
        onChange={(value) => onFilter({ hostId: value === null ? undefined : Number(value) })}
      />
    </>
  );
}
