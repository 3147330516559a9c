// Turns the pages of a long list.
import { Group, NativeSelect, Pagination, Text } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { texts } from "../texts/common.js";

/** Where in a long list the table stands. */
export interface Paging {
  readonly page: number;
  readonly perPage: number;
  readonly total: number;
  readonly onPage: (page: number) => void;
  readonly onPerPage?: (perPage: number) => void;
}

const PER_PAGE = [25, 50, 100, 200];
/** So few lines are one page, however many are wanted on one. */
const SHORT = 25;

/** Turns the pages of a list that is there as a whole, so that the browser never lays out thousands of lines. */
export function usePages<Row>(
  rows: readonly Row[],
  perPage: number,
): { readonly shown: Row[]; readonly paging: Paging } {
  const [asked, setAsked] = useState(1);
  // A list that got shorter still shows something.
  const page = Math.min(asked, Math.max(1, Math.ceil(rows.length / perPage)));
  const shown = rows.slice((page - 1) * perPage, page * perPage);
  return { shown, paging: { page, perPage, total: rows.length, onPage: setAsked } };
}

interface PagedProperties<Row> {
  readonly rows: readonly Row[];
  readonly perPage: number;
  readonly children: (shown: Row[]) => ReactNode;
}

/** The same for lists that are no tables. */
export function Paged<Row>({ rows, perPage, children }: PagedProperties<Row>) {
  const { shown, paging } = usePages(rows, perPage);
  return (
    <>
      {children(shown)}
      <Pager {...paging} />
    </>
  );
}

/** Nothing where one short page is all. */
export function Pager({ page, perPage, total, onPage, onPerPage }: Paging) {
  if (total <= (onPerPage === undefined ? perPage : SHORT) && page === 1) return null;
  const last = Math.max(1, Math.ceil(total / perPage));
  const first = (page - 1) * perPage + 1;
  return (
    <Group role="group" aria-label={texts.pager.label} justify="space-between" mt="xs" gap="xs">
      <Text fz="sm" c="dimmed" className="number" role="status">
        {first > total ? texts.pager.pastEnd(total) : texts.pager.range(first, Math.min(page * perPage, total), total)}
      </Text>
      <Group gap={4}>
        {onPerPage !== undefined && (
          <NativeSelect
            aria-label={texts.pager.rowsPerPage}
            size="xs"
            mr="xs"
            data={PER_PAGE.map((value) => ({ value: String(value), label: texts.pager.perPage(value) }))}
            value={String(perPage)}
            onChange={({ currentTarget }) => onPerPage(Number(currentTarget.value))}
          />
        )}
        <Pagination.Root total={last} value={page} onChange={onPage} size="sm">
          <Group gap={4}>
            <Pagination.First aria-label={texts.pager.first} />
            <Pagination.Previous aria-label={texts.pager.previous} />
            <Pagination.Next aria-label={texts.pager.next} />
            <Pagination.Last aria-label={texts.pager.last} />
          </Group>
        </Pagination.Root>
      </Group>
    </Group>
  );
}
