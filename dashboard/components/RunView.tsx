// Guests of an evacuation or a balance run, in their turns, as they move.
import { Stack, Text } from "@mantine/core";
import { useMemo } from "react";
import { bytes, percent, span } from "../format.js";
import type { RunItemRowFragment, RunStatus } from "../generated/documents.js";
import { useHostNames } from "./hostNames.js";
import { TextLink } from "./links.js";
import { LongText } from "./LongText.js";
import { MoveProgress } from "./MoveList.js";
import { usePages } from "./Pager.js";
import { RunProgress } from "./RunProgress.js";
import { Section } from "./Section.js";
import { Stalled } from "./Stalled.js";
import { Status } from "./Status.js";
import { Table, type Column } from "./Table.js";

interface ShownRun {
  readonly notice: string | null;
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
      <Stalled notice={run.notice} />
      <Section title="Progress">
        <RunProgress {...run} />
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
    cellsClassName: "wrap name",
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
    width: 210,
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
    cellsClassName: "wrap reason",
    render: ({ reason }) =>
      reason !== null && (
        <Text fz="xs">
          <LongText text={reason} />
        </Text>
      ),
  },
];
