// Narrows a list of work, jobs or moves, to a status and a host.
import { Select } from "@mantine/core";

import { HostFilter } from "./HostSelect.js";
import { texts } from "../texts/common.js";
import { statusLabel } from "../texts/terms.js";

interface Properties<Status extends string> {
  readonly statuses: readonly Status[];
  readonly status: Status | undefined;
  readonly hostId: number | undefined;
  /** What no host means. */
  readonly anyHost: string;
  /** Called with the newly chosen part; undefined: all parts. */
  readonly onFilter: (part: { readonly status: Status | undefined } | { readonly hostId: number | undefined }) => void;
}

export function WorkFilter<Status extends string>(properties: Properties<Status>) {
  const { statuses, status, hostId, anyHost, onFilter } = properties;
  return (
    <>
      <Select
        aria-label={texts.select.status}
        placeholder={texts.select.anyStatus}
        clearable
        w={170}
        data={statuses.map((value) => ({ value, label: statusLabel(value) }))}
        value={status ?? null}
        onChange={(value) => onFilter({ status: statuses.find((each) => each === value) })}
      />
      <HostFilter hostId={hostId} onChoose={(next) => onFilter({ hostId: next })} anyHost={anyHost} />
    </>
  );
}
