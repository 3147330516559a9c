// Every table of the panel: pages, order and choice are the service's and the address bar's, never the table's own.
import { Checkbox } from "@mantine/core";
import { ChevronDown, ChevronUp, ChevronsUpDown } from "lucide-react";
import type { ReactNode } from "react";
import { Nothing } from "./Answer.js";
import { Pager, type Paging } from "./Pager.js";

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

export interface Sorting {
  /** The column's accessor; null: the list's own order. */
  readonly by: string | null;
  readonly descending: boolean;
  readonly onSort: (by: string, descending: boolean) => void;
}

export interface Choosing<Row> {
  readonly chosen: readonly Row[];
  readonly onChoose: (rows: Row[]) => void;
  readonly choosable?: (row: Row) => boolean;
  /** Names the row for those who hear the checkbox. */
  readonly nameOf: (row: Row) => string;
}

interface Properties<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** Said when there are none. */
  readonly empty: string;
  readonly paging?: Paging;
  readonly sorting?: Sorting;
  readonly choosing?: Choosing<Row> | undefined;
  readonly rowKey?: keyof Row & string;
  readonly onOpen?: (row: Row) => void;
}

export function Table<Row extends object>(properties: Properties<Row>) {
  const { rows, columns, empty, paging, sorting, choosing, rowKey = "id", onOpen } = properties;
  const keyOf = (row: Row): string => fieldOf(row, rowKey);
  return (
    <>
      <div className="table">
        <table>
          <thead>
            <tr>
              {choosing !== undefined && <ChooseAll rows={rows} choosing={choosing} keyOf={keyOf} />}
              {columns.map((column) => (
                <Heading key={column.accessor} column={column} sorting={sorting} />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr
                key={keyOf(row)}
                className={onOpen === undefined ? undefined : "openable"}
                onClick={onOpen === undefined ? undefined : ({ target }) => isPlain(target) && onOpen(row)}
              >
                {choosing !== undefined && <ChooseOne row={row} choosing={choosing} keyOf={keyOf} />}
                {columns.map(({ accessor, render, textAlign, cellsClassName }) => (
                  <td key={accessor} style={{ textAlign }} className={cellsClassName}>
                    {render === undefined ? fieldOf(row, accessor) : render(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {rows.length === 0 && <Nothing>{empty}</Nothing>}
      </div>
      {paging !== undefined && <Pager {...paging} />}
    </>
  );
}

/** The text or figure at a path such as `guest.name`; empty when there is none. */
function fieldOf(row: object, path: string): string {
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

interface HeadingProperties<Row> {
  readonly column: Column<Row>;
  readonly sorting: Sorting | undefined;
}

function Heading<Row>({ column, sorting }: HeadingProperties<Row>) {
  const { accessor, title, width, textAlign, sortable = false } = column;
  if (!sortable || sorting === undefined) {
    return <th style={{ width, textAlign }}>{title}</th>;
  }
  const sorted = sorting.by === accessor;
  const order = sorting.descending ? "descending" : "ascending";
  const Mark = sorted ? (sorting.descending ? ChevronDown : ChevronUp) : ChevronsUpDown;
  return (
    <th style={{ width, textAlign }} aria-sort={sorted ? order : "none"}>
      <button type="button" className="sort" onClick={() => sorting.onSort(accessor, sorted && !sorting.descending)}>
        {title}
        <Mark size={12} aria-hidden />
      </button>
    </th>
  );
}

interface ChoiceProperties<Row> {
  readonly choosing: Choosing<Row>;
  /** Rows that are read again are other objects: they are known by their key. */
  readonly keyOf: (row: Row) => string;
}

function ChooseAll<Row>({ rows, choosing, keyOf }: ChoiceProperties<Row> & { readonly rows: readonly Row[] }) {
  const { chosen, onChoose, choosable = () => true } = choosing;
  const keys = chosen.map(keyOf);
  const all = rows.filter(choosable);
  const whole = all.length > 0 && all.every((row) => keys.includes(keyOf(row)));
  return (
    <th style={{ width: 34 }}>
      <Checkbox
        aria-label="Choose all"
        checked={whole}
        indeterminate={!whole && chosen.length > 0}
        disabled={all.length === 0}
        onChange={() => onChoose(whole ? [] : all)}
      />
    </th>
  );
}

function ChooseOne<Row>({ row, choosing, keyOf }: ChoiceProperties<Row> & { readonly row: Row }) {
  const { chosen, onChoose, choosable = () => true, nameOf } = choosing;
  const others = chosen.filter((each) => keyOf(each) !== keyOf(row));
  const isChosen = others.length < chosen.length;
  return (
    <td>
      <Checkbox
        aria-label={`Choose ${nameOf(row)}`}
        checked={isChosen}
        disabled={!choosable(row)}
        onChange={() => onChoose(isChosen ? others : [...chosen, row])}
      />
    </td>
  );
}
