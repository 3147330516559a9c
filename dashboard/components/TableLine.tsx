// One line of a table. It is rendered again only when what it shows has changed: lists are read again all the time.
import { Checkbox, Table as Sheet } from "@mantine/core";
import { useRef, type ReactNode } from "react";
import { texts } from "../texts/common.js";

export interface Column<Row> {
  /** The column's name; of one that can be sorted by, the service's; without `render`, the row's field. */
  readonly accessor: string;
  readonly title: ReactNode;
  readonly render?: (row: Row) => ReactNode;
  /** Pixels; left out: as its content needs. */
  readonly width?: number;
  readonly textAlign?: "right";
  readonly cellsClassName?: string;
  readonly sortable?: boolean;
}

/** How the line can be chosen. */
interface LineChoice {
  readonly name: string;
  readonly chosen: boolean;
  readonly disabled: boolean;
}

interface Properties<Row> {
  /** Names the row in the table. */
  readonly id: string;
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  /** Null: nothing is chosen in this table. */
  readonly choice: LineChoice | null;
  readonly openable: boolean;
  /** Always the same function, which knows the newest of everything. */
  readonly onOpen: (row: Row) => void;
  readonly onToggle: (id: string) => void;
}

/** Plain elements with the library's classes: its own are too slow for thousands of cells. Their roles are said, since on a phone they are laid out as cards. */
function Line<Row extends object>({ id, row, columns, choice, openable, onOpen, onToggle }: Properties<Row>) {
  const { tr, td } = Sheet.classes;
  return (
    <tr
      role="row"
      className={openable ? `${tr} openable` : tr}
      data-with-row-border
      data-hover={openable || undefined}
      onClick={openable ? ({ target }) => isPlain(target) && onOpen(row) : undefined}
    >
      {choice !== null && (
        <td role="cell" className={`${td} choice`}>
          <Checkbox
            aria-label={texts.table.select(choice.name)}
            checked={choice.chosen}
            disabled={choice.disabled}
            onChange={() => onToggle(id)}
          />
        </td>
      )}
      {columns.map(({ accessor, title, render, textAlign, cellsClassName = "" }) => (
        <td
          key={accessor}
          role="cell"
          className={`${td} ${cellsClassName}`}
          style={{ textAlign }}
          data-title={typeof title === "string" ? title : undefined}
        >
          {render === undefined ? fieldOf(row, accessor) : render(row)}
        </td>
      ))}
    </tr>
  );
}

const isSame = <Row,>(one: Properties<Row>, other: Properties<Row>): boolean =>
  one.columns === other.columns &&
  one.openable === other.openable &&
  isSameData(one.choice, other.choice) &&
  isSameData(one.row, other.row);

/** The line as it was rendered last, which the browser's view is then not compared with, as long as it says the same. */
export function TableLine<Row extends object>(properties: Properties<Row>) {
  const kept = useRef<{ readonly of: Properties<Row>; readonly line: ReactNode } | null>(null);
  if (kept.current === null || !isSame(kept.current.of, properties)) {
    kept.current = { of: properties, line: <Line {...properties} /> };
  }
  return kept.current.line;
}

/** Whether two records that were read say the same. */
function isSameData(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  const [first, second] = [Object.entries(one), new Map<string, unknown>(Object.entries(other))];
  return first.length === second.size && first.every(([name, value]) => isSameData(value, second.get(name)));
}

/** The text or figure at a path such as `guest.name`; empty when there is none. */
export function fieldOf(row: object, path: string): string {
  let value: unknown = row;
  for (const name of path.split(".")) {
    value = typeof value === "object" && value !== null ? new Map(Object.entries(value)).get(name) : undefined;
  }
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** A click on a link or a button of the row means that, not the row; nor does the end of choosing text. */
const isPlain = (target: EventTarget): boolean =>
  target instanceof Element &&
  target.closest("a, button, input, label, [role=menuitem]") === null &&
  window.getSelection()?.isCollapsed !== false;
