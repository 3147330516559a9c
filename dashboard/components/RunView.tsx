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
import { texts } from "../texts/common.js";
import { runItemStatusText } from "../texts/terms.js";

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
      <Section title={texts.work.progress}>
        <RunProgress {...run} />
      </Section>
      <Table
        rows={shown}
        columns={useMemo(() => columns(nameOf), [nameOf])}
        empty={texts.work.noGuests}
        paging={paging}
      />
    </Stack>
  );
}

const columns = (nameOf: (hostId: number | null) => string): Column<RunItemRowFragment>[] => [
  {
    accessor: "guestName",
    cellsClassName: "wrap name",
    title: texts.work.guest,
    render: ({ guestName, vmid, migration }) =>
      migration === null ? (
        texts.guestAndVmid(guestName, vmid)
      ) : (
        <TextLink to="/migrations/$id" params={{ id: String(migration.id) }}>
          {texts.guestAndVmid(guestName, vmid)}
        </TextLink>
      ),
  },
  {
    accessor: "toNode",
    title: texts.work.target,
    render: ({ toHostId, toNode }) =>
      toHostId === null ? texts.work.automaticPlacement : texts.hostAndNode(nameOf(toHostId), toNode ?? ""),
  },
  {
    accessor: "status",
    title: texts.select.status,
    render: ({ status }) => <Status value={status} text={runItemStatusText(status)} work />,
  },
  {
    accessor: "migration.progress",
    title: texts.work.migration,
    width: 210,
    render: ({ migration, status }) => {
      if (migration === null) return null;
      if (status === "RUNNING") return <MoveProgress move={migration} />;
      return (
        <Text fz="xs" c="dimmed" className="number">
          {percent(migration.progress)} ·{" "}
          {texts.work.copiedIn(bytes(migration.bytesCopied), span(migration.durationSeconds))}
        </Text>
      );
    },
  },
  {
    accessor: "reason",
    title: texts.work.reason,
    cellsClassName: "wrap reason",
    render: ({ reason }) =>
      reason !== null && (
        <Text fz="xs">
          <LongText text={reason} />
        </Text>
      ),
  },
];
