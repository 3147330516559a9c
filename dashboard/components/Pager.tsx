// Turns the pages of a long list.
import { ActionIcon, Group, NativeSelect, Text } from "@mantine/core";
import { ChevronLeft, ChevronRight, ChevronsLeft, ChevronsRight } from "lucide-react";

/** Where in a long list the table stands. */
export interface Paging {
  readonly page: number;
  readonly perPage: number;
  readonly total: number;
  readonly onPage: (page: number) => void;
  readonly onPerPage?: (perPage: number) => void;
}

const PER_PAGE = [25, 50, 100, 200];

/** Nothing where one short page is all. */
export function Pager({ page, perPage, total, onPage, onPerPage }: Paging) {
  if (total <= (PER_PAGE[0] ?? 0) && page === 1) return null;
  const last = Math.max(1, Math.ceil(total / perPage));
  const first = (page - 1) * perPage + 1;
  const turns = [
    { name: "First page", icon: ChevronsLeft, to: 1, possible: page > 1 },
    { name: "Previous page", icon: ChevronLeft, to: Math.min(page - 1, last), possible: page > 1 },
    { name: "Next page", icon: ChevronRight, to: page + 1, possible: page < last },
    { name: "Last page", icon: ChevronsRight, to: last, possible: page < last },
  ];
  return (
    <Group component="nav" aria-label="Pages of the list" justify="space-between" mt="xs" gap="xs">
      <Text fz="sm" c="dimmed" className="number" role="status">
        {first > total ? `Nothing here; ${total} in all` : `${first} – ${Math.min(page * perPage, total)} of ${total}`}
      </Text>
      <Group gap={4}>
        {onPerPage !== undefined && (
          <NativeSelect
            aria-label="Lines a page"
            size="xs"
            mr="xs"
            data={PER_PAGE.map((value) => ({ value: String(value), label: `${value} a page` }))}
            value={String(perPage)}
            onChange={({ currentTarget }) => onPerPage(Number(currentTarget.value))}
          />
        )}
        {turns.map(({ name, icon: Icon, to, possible }) => (
          <ActionIcon key={name} variant="default" aria-label={name} disabled={!possible} onClick={() => onPage(to)}>
            <Icon size={16} aria-hidden />
          </ActionIcon>
        ))}
      </Group>
    </Group>
  );
}
