// Chooses the host whose things are shown; the first one when none was chosen.
import { useLive } from "../client/live.js";
import { FirstHostDocument } from "../generated/documents.js";
import { HostSelect } from "./HostSelect.js";
import { texts } from "../texts/common.js";

interface Properties {
  readonly value: number | undefined;
  readonly onChoose: (hostId: number) => void;
}

export function HostChoice({ value, onChoose }: Properties) {
  return (
    <HostSelect
      aria-label={texts.select.host}
      w={180}
      value={value === undefined ? null : String(value)}
      allowDeselect={false}
      onChange={(next) => next !== null && onChoose(Number(next))}
    />
  );
}

/** The host that was asked for, else the first; `none` once it is known that there is no host. */
export function useHostOrFirst(asked: number | undefined): {
  readonly hostId: number | undefined;
  readonly none: boolean;
} {
  const { data } = useLive({ query: FirstHostDocument, variables: {}, kinds: [], pause: asked !== undefined });
  return { hostId: asked ?? data?.hosts.items[0]?.id, none: data?.hosts.items.length === 0 };
}
