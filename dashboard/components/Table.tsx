// Every table of the panel: pages, order and choice are the service's and the address bar's, never the table's own.
import { Checkbox, Table as Sheet } from "@mantine/core";
import {
  functionalUpdate,
  rowSelectionFeature,
  rowSortingFeature,
  tableFeatures,
  useTable,
  type ColumnDef,
  type Header as HeaderOf,
  type RowSelectionState,
  type SortingState,
  type Updater,
} from "@tanstack/react-table";
import { ChevronDown, ChevronUp, ChevronsUpDown } from "lucide-react";
import { useCallback, useMemo, useRef } from "react";
import { Nothing } from "./Answer.js";
import { Pager, type Paging } from "./Pager.js";
import { fieldOf, TableLine, type Column } from "./TableLine.js";
import { useWide } from "./wide.js";
import { texts } from "../texts/common.js";

export type { Column } from "./TableLine.js";

interface Sorting {
  /** The column's accessor; null: the list's own order. */
  readonly by: string | null;
  readonly descending: boolean;
  readonly onSort: (by: string, descending: boolean) => void;
}

interface Choosing<Row> {
  readonly chosen: readonly Row[];
  /** What "all" means where one page of a list is shown that is there as a whole; left out: the rows that are shown. */
  readonly all?: readonly Row[];
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

const features = tableFeatures({ rowSelectionFeature, rowSortingFeature });
type Features = typeof features;

export function Table<Row extends object>(properties: Properties<Row>) {
  const { rows, empty, paging, choosing, onOpen } = properties;
  const columns = useMemo(() => new Map(properties.columns.map((each) => [each.accessor, each])), [properties.columns]);
  const table = useModel(properties);
  const [box, wide] = useWide();
  const rowsShown = table.getRowModel().rows;
  const open = useNewest((row: Row) => onOpen?.(row));
  const toggle = useNewest((id: string) => table.getRow(id).toggleSelected());
  const all = choosing?.all?.filter((row) => choosing.choosable?.(row) ?? true);
  return (
    <>
      <div ref={box} className="table" tabIndex={wide ? 0 : undefined}>
        <Sheet role="table" verticalSpacing={5} horizontalSpacing={8} highlightOnHover={onOpen !== undefined} fz="sm">
          <Sheet.Thead role="rowgroup">
            <Sheet.Tr role="row">
              {choosing !== undefined && (
                <Sheet.Th role="columnheader" w={34}>
                  <ChooseAll
                    whole={all === undefined ? table.getIsAllRowsSelected() : all.length === choosing.chosen.length}
                    none={choosing.chosen.length === 0}
                    disabled={all === undefined ? !rowsShown.some((row) => row.getCanSelect()) : all.length === 0}
                    toggle={(on) =>
                      all === undefined ? table.toggleAllRowsSelected(on) : choosing.onChoose(on ? all : [])
                    }
                  />
                </Sheet.Th>
              )}
              {table.getFlatHeaders().map((header) => (
                <Heading key={header.id} header={header} column={columns.get(header.column.id)} />
              ))}
            </Sheet.Tr>
          </Sheet.Thead>
          <Sheet.Tbody role="rowgroup">
            {rowsShown.map((row) => (
              <TableLine
                key={row.id}
                id={row.id}
                row={row.original}
                columns={properties.columns}
                choice={
                  choosing === undefined
                    ? null
                    : {
                        name: choosing.nameOf(row.original),
                        chosen: row.getIsSelected(),
                        disabled: !row.getCanSelect(),
                      }
                }
                openable={onOpen !== undefined}
                onOpen={open}
                onToggle={toggle}
              />
            ))}
          </Sheet.Tbody>
        </Sheet>
        {rows.length === 0 && <Nothing>{empty}</Nothing>}
      </div>
      {paging !== undefined && <Pager {...paging} />}
    </>
  );
}

/** @returns a function that is always the same one and does what the newest rendering says */
function useNewest<Argument>(act: (argument: Argument) => void): (argument: Argument) => void {
  const newest = useRef(act);
  newest.current = act;
  return useCallback((argument: Argument) => newest.current(argument), []);
}

interface ChooseAllProperties {
  readonly whole: boolean;
  readonly none: boolean;
  readonly disabled: boolean;
  readonly toggle: (on: boolean) => void;
}

function ChooseAll({ whole, none, disabled, toggle }: ChooseAllProperties) {
  return (
    <Checkbox
      aria-label={texts.table.selectAll}
      checked={whole && !none}
      indeterminate={!whole && !none}
      disabled={disabled}
      onChange={({ currentTarget }) => toggle(currentTarget.checked)}
    />
  );
}

/** The table's rows, order and choice as the library keeps them, led by what the page says. */
function useModel<Row extends object>({ rows, columns, sorting, choosing, rowKey }: Properties<Row>) {
  const keyOf = (row: Row): string => fieldOf(row, rowKey ?? "id");
  const order: SortingState = sorting?.by ? [{ id: sorting.by, desc: sorting.descending }] : [];
  const chosen: RowSelectionState = Object.fromEntries((choosing?.chosen ?? []).map((row) => [keyOf(row), true]));
  return useTable<Features, Row>({
    features,
    data: rows,
    columns: useMemo(() => columns.map(definition), [columns]),
    enableSorting: sorting !== undefined,
    getRowId: keyOf,
    state: { sorting: order, rowSelection: chosen },
    manualSorting: true,
    enableMultiSort: false,
    enableSortingRemoval: false,
    sortDescFirst: false,
    onSortingChange(update: Updater<SortingState>) {
      const [first] = functionalUpdate(update, order);
      if (first !== undefined) sorting?.onSort(first.id, first.desc);
    },
    enableRowSelection: ({ original }) => choosing?.choosable?.(original) ?? true,
    onRowSelectionChange(update: Updater<RowSelectionState>) {
      const next = functionalUpdate(update, chosen);
      // Rows that are read again are other objects, and those of other pages stay chosen.
      const known = new Map([...(choosing?.chosen ?? []), ...rows].map((row) => [keyOf(row), row]));
      choosing?.onChoose([...known].filter(([key]) => next[key]).map(([, row]) => row));
    },
  });
}

const definition = <Row extends object>({ accessor, sortable = false }: Column<Row>): ColumnDef<Features, Row> => ({
  id: accessor,
  accessorFn: (row: Row) => fieldOf(row, accessor),
  enableSorting: sortable,
});

interface HeadingProperties<Row extends object> {
  readonly header: HeaderOf<Features, Row>;
  readonly column: Column<Row> | undefined;
}

const MARKS = { asc: ChevronUp, desc: ChevronDown, none: ChevronsUpDown };
const ORDERS = { asc: "ascending", desc: "descending", none: "none" } as const;

function Heading<Row extends object>({ header, column }: HeadingProperties<Row>) {
  const look = { w: column?.width, ta: column?.textAlign };
  if (!header.column.getCanSort())
    return (
      <Sheet.Th role="columnheader" {...look}>
        {column?.title}
      </Sheet.Th>
    );
  const order = header.column.getIsSorted() || "none";
  const Mark = MARKS[order];
  return (
    <Sheet.Th role="columnheader" {...look} aria-sort={ORDERS[order]}>
      <button type="button" className="sort" onClick={header.column.getToggleSortingHandler()}>
        {column?.title}
        <Mark size={12} aria-hidden />
      </button>
    </Sheet.Th>
  );
}
