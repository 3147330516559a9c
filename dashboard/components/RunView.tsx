// Guests of an evacuation or a balance run, in their turns, as they move.
import { Group, Progress, Stack, Text } from "@mantine/core";
import { useMemo } from "react";
import { bytes, percent, span } from "../format.js";
import type { RunItemRowFragment, RunStatus } from "../generated/documents.js";
import { Age } from "./Age.js";
import { useHostNames } from "./hostNames.js";
import { TextLink } from "./links.js";
import { LongText } from "./LongText.js";
import { MoveProgress } from "./MoveList.js";
import { usePages } from "./Pager.js";
import { Section } from "./Section.js";
import { Status } from "./Status.js";
import { Table, type Column } from "./Table.js";

interface ShownRun {
  readonly status: RunStatus;
  readonly done: number;
  readonly total: number;
  readonly progress: number;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly items: readonly RunItemRowFragment[];
}

export const isUnderWay = ({ status }: { readonly status: RunStatus }): boolean =>
  status === "QUEUED" || status === "RUNNING" || status === "STOPPING";

const ITEMS_A_PAGE = 50;

export function RunView({ run }: { readonly run: ShownRun }) {
  const { nameOf } = useHostNames();
  const { shown, paging } = usePages(run.items, ITEMS_A_PAGE);
  return (
    <Stack gap="sm">
      <Section title="Progress">
        <Stack gap={6} aria-live="polite">
          <Progress
            size="lg"
            value={run.progress * 100}
            animated={isUnderWay(run)}
            color={run.status === "FAILED" ? "red.6" : "harbour.6"}
            aria-label="Guests settled"
          />
          <Group gap="lg">
            <Text fz="sm" className="number">
              {run.done} of {run.total} guests settled
            </Text>
            <Text fz="sm" c="dimmed">
              started <Age at={run.startedAt} never="not yet" />
            </Text>
            {run.finishedAt !== null && (
              <Text fz="sm" c="dimmed">
                ended <Age at={run.finishedAt} />
              </Text>
            )}
          </Group>
        </Stack>
      </Section>
      <Table
        rows={shown}
        columns={useMemo(() => columns(nameOf), [nameOf])}
        empty="There are no guests in it."
        paging={paging}
      />
    </Stack>
  );
}

const columns = (nameOf: (hostId: number | null) => string): Column<RunItemRowFragment>[] => [
  {
    accessor: "guestName",
    title: "Guest",
    render: ({ guestName, vmid, migration }) =>
      migration === null ? (
        `${guestName} (${vmid})`
      ) : (
        <TextLink to="/migrations/$id" params={{ id: String(migration.id) }}>
          {guestName} ({vmid})
        </TextLink>
      ),
  },
  {
    accessor: "toNode",
    title: "To",
    render: ({ toHostId, toNode }) =>
      toHostId === null ? "wherever there is room" : `${nameOf(toHostId)} / ${toNode}`,
  },
  { accessor: "status", title: "Status", render: ({ status }) => <Status value={status} work /> },
  {
    accessor: "migration.progress",
    title: "Move",
    width: 260,
    render: ({ migration, status }) => {
      if (migration === null) return null;
      if (status === "RUNNING") return <MoveProgress move={migration} />;
      return (
        <Text fz="xs" c="dimmed" className="number">
          {percent(migration.progress)} · {bytes(migration.bytesCopied)} in {span(migration.durationSeconds)}
        </Text>
      );
    },
  },
  {
    accessor: "reason",
    title: "Why",
    cellsClassName: "wrap",
    render: ({ reason }) => <Text fz="xs">{reason !== null && <LongText text={reason} />}</Text>,
  },
];
