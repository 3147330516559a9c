// Every table of the panel: pages, order and choice are the service's and the address bar's, never the table's own.
import { DataTable, type DataTableColumn, type DataTableSortStatus } from "mantine-datatable";

export type Column<Row> = DataTableColumn<Row>;

/** Where in a long list the table stands. */
export interface Paging {
  readonly page: number;
  readonly perPage: number;
  readonly total: number;
  readonly onPage: (page: number) => void;
  readonly onPerPage?: (perPage: number) => void;
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
  readonly columns: Column<Row>[];
  /** Said when there are none. */
  readonly empty: string;
  readonly paging?: Paging;
  readonly sorting?: Sorting;
  readonly choosing?: Choosing<Row> | undefined;
  readonly rowKey?: keyof Row & string;
  readonly onOpen?: (row: Row) => void;
}

const PER_PAGE = [25, 50, 100, 200];
/** Room for the word that there is nothing, pixels. */
const LEAST_HEIGHT = 120;

export function Table<Row extends object>(properties: Properties<Row>) {
  const { rows, columns, empty, rowKey, onOpen } = properties;
  return (
    <DataTable<Row>
      {...pagingOf(properties.paging)}
      {...sortingOf(properties.sorting)}
      {...choosingOf(properties.choosing)}
      records={[...rows]}
      columns={columns}
      idAccessor={rowKey ?? "id"}
      noRecordsText={empty}
      minHeight={rows.length === 0 ? LEAST_HEIGHT : 0}
      highlightOnHover={onOpen !== undefined}
      onRowClick={onOpen === undefined ? undefined : ({ record, event }) => isPlain(event.target) && onOpen(record)}
      className="dense"
      withTableBorder
      borderRadius="sm"
      verticalSpacing={5}
      horizontalSpacing={8}
      fz="sm"
    />
  );
}

/** A click on a link or a button of the row means that, not the row. */
const isPlain = (target: EventTarget): boolean =>
  target instanceof Element && target.closest("a, button, input, label, [role=menuitem]") === null;

function pagingOf(paging: Paging | undefined): object {
  if (paging === undefined || (paging.total <= (PER_PAGE[0] ?? 0) && paging.page === 1)) return {};
  const { page, perPage, total, onPage, onPerPage } = paging;
  return {
    page,
    totalRecords: total,
    recordsPerPage: perPage,
    onPageChange: onPage,
    ...(onPerPage === undefined ? {} : { recordsPerPageOptions: PER_PAGE, onRecordsPerPageChange: onPerPage }),
    recordsPerPageLabel: "A page",
    paginationSize: "sm",
    getPaginationControlProps: (control: string) => ({ "aria-label": `${control} page` }),
  };
}

function sortingOf(sorting: Sorting | undefined): object {
  if (sorting === undefined) return {};
  const status: DataTableSortStatus<unknown> = {
    columnAccessor: sorting.by ?? "",
    direction: sorting.descending ? "desc" : "asc",
  };
  return {
    sortStatus: status,
    onSortStatusChange: ({ columnAccessor, direction }: DataTableSortStatus<unknown>) =>
      sorting.onSort(String(columnAccessor), direction === "desc"),
  };
}

function choosingOf<Row>(choosing: Choosing<Row> | undefined): object {
  if (choosing === undefined) return {};
  const { chosen, onChoose, choosable, nameOf } = choosing;
  return {
    selectedRecords: [...chosen],
    onSelectedRecordsChange: onChoose,
    ...(choosable === undefined ? {} : { isRecordSelectable: choosable }),
    allRecordsSelectionCheckboxProps: { "aria-label": "Choose all" },
    getRecordSelectionCheckboxProps: (row: Row) => ({ "aria-label": `Choose ${nameOf(row)}` }),
  };
}
