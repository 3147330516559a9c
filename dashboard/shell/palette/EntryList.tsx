// What the palette offers, as a list box: the entry that Enter opens is marked, and kept in sight.
import { Kbd } from "@mantine/core";
import { useEffect, useRef } from "react";
import { Status } from "../../components/Status.js";
import type { Entry, EntryGroup } from "./entries.js";
import { texts } from "../../texts/palette.js";

interface Properties {
  readonly id: string;
  readonly groups: readonly EntryGroup[];
  /** Which of all entries is marked. */
  readonly place: number;
  readonly onOpen: (entry: Entry) => void;
}

export function EntryList({ id, groups, place, onOpen }: Properties) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  });
  const before = groups.map((_, index) => groups.slice(0, index).reduce((sum, { entries }) => sum + entries.length, 0));
  return (
    <div ref={list} id={id} role="listbox" aria-label={texts.results} className="palette">
      {groups.map(({ title, entries }, index) => (
        <div key={`${index} ${title}`} role="group" aria-label={title}>
          <div className="palette-title" aria-hidden>
            {title}
          </div>
          {entries.map((entry, own) => {
            const position = (before[index] ?? 0) + own;
            return (
              <Line
                key={entry.key}
                id={`${id}-${position}`}
                entry={entry}
                marked={position === place}
                onOpen={onOpen}
              />
            );
          })}
        </div>
      ))}
    </div>
  );
}

interface LineProperties {
  readonly id: string;
  readonly entry: Entry;
  readonly marked: boolean;
  readonly onOpen: (entry: Entry) => void;
}

/** The keyboard stays in the field above: a line is only clicked. */
function Line({ id, entry, marked, onOpen }: LineProperties) {
  const { label, hint, status, keys } = entry;
  return (
    <div
      id={id}
      role="option"
      aria-selected={marked}
      tabIndex={-1}
      className="palette-entry"
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => onOpen(entry)}
    >
      <span className="palette-name">
        {label} {hint !== undefined && <small>{hint}</small>}
      </span>
      {status !== undefined && <Status value={status.value} work={status.work} />}
      {keys !== undefined && <Kbd size="xs">{keys}</Kbd>}
    </div>
  );
}
