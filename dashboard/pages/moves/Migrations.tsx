// All moves, newest first.
import { Text } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useLive } from "../../client/live.js";
import { Age } from "../../components/Age.js";
import { Answer } from "../../components/Answer.js";
import { Filters, isNarrowed } from "../../components/Filters.js";
import { useHostNames } from "../../components/hostNames.js";
import { TextLink } from "../../components/links.js";
import { Meter } from "../../components/Meter.js";
import { Page } from "../../components/Page.js";
import { Status } from "../../components/Status.js";
import { statusOf } from "../../components/Rollback.js";
import { Table, type Column } from "../../components/Table.js";
import { TypedText } from "../../components/TypedText.js";
import { WorkFilter } from "../../components/WorkFilter.js";
import { bytes, span } from "../../format.js";
import { MigrationsDocument, type MigrationRowFragment } from "../../generated/documents.js";
import { DEFAULT_PER_PAGE } from "../../search.js";
import { texts as common } from "../../texts/common.js";
import { texts } from "../../texts/migrations.js";
import { migrationModeText } from "../../texts/terms.js";

const STATUSES = ["QUEUED", "RUNNING", "DONE", "DONE_WITH_WARNINGS", "FAILED"] as const;

export function Migrations() {
  const { page = 1, perPage = DEFAULT_PER_PAGE, status, hostId, node } = useSearch({ from: "/shell/migrations" });
  const navigate = useNavigate({ from: "/migrations" });
  const { nameOf } = useHostNames();
  const filter = {
    ...(status === undefined ? {} : { status }),
    ...(hostId === undefined ? {} : { hostIds: [hostId] }),
    ...(node === undefined ? {} : { node }),
  };
  const live = useLive({
    query: MigrationsDocument,
    variables: { filter, page, perPage },
    kinds: ["MIGRATION", "JOB"],
  });
  return (
    <Page title={texts.title} readAt={live.readAt}>
      <Filters>
        <WorkFilter
          statuses={STATUSES}
          status={status}
          hostId={hostId}
          anyHost={texts.anyHost}
          onFilter={(part) => void navigate({ search: (before) => ({ ...before, ...part, page: undefined }) })}
        />
        <TypedText
          label={texts.node}
          width={120}
          value={node ?? ""}
          onSettled={(text) =>
            void navigate({
              search: (before) => ({ ...before, node: text || undefined, page: undefined }),
              replace: true,
            })
          }
        />
        <Text fz="xs" c="dimmed">
          {texts.startHint}
        </Text>
      </Filters>
      <Answer live={live} lines={12}>
        {({ migrations }) => (
          <Table
            rows={migrations.items}
            columns={columns(nameOf)}
            empty={isNarrowed(filter) ? texts.noMatch : texts.empty}
            onOpen={({ id }) => void navigate({ to: "/migrations/$id", params: { id: String(id) } })}
            paging={{
              page,
              perPage,
              total: migrations.meta.total,
              onPage: (next) => void navigate({ search: (before) => ({ ...before, page: next }) }),
              onPerPage: (next) =>
                void navigate({ search: (before) => ({ ...before, perPage: next, page: undefined }) }),
            }}
          />
        )}
      </Answer>
    </Page>
  );
}

const columns = (nameOf: (hostId: number) => string): Column<MigrationRowFragment>[] => [
  {
    accessor: "guestName",
    title: texts.columns.guest,
    render: ({ id, guestName, vmid }) => (
      <TextLink to="/migrations/$id" params={{ id: String(id) }} fw={500}>
        {common.guestAndVmid(guestName, vmid)}
      </TextLink>
    ),
  },
  {
    accessor: "sourceNode",
    title: texts.columns.source,
    render: (move) => common.hostAndNode(nameOf(move.sourceHostId), move.sourceNode),
  },
  {
    accessor: "targetNode",
    title: texts.columns.target,
    render: (move) => common.hostAndNode(nameOf(move.targetHostId), move.targetNode),
  },
  { accessor: "mode", title: texts.columns.mode, render: ({ mode }) => migrationModeText(mode) },
  { accessor: "status", title: texts.columns.status, render: (move) => <Status value={statusOf(move)} work /> },
  {
    accessor: "progress",
    cellsClassName: "wrap",
    title: texts.columns.progress,
    render: ({ status, progress, bytesCopied, bytesTotal, error }) => {
      if (status === "FAILED") {
        return (
          <Text fz="xs" c="var(--mantine-color-error)" lineClamp={2} title={error ?? undefined}>
            {error}
          </Text>
        );
      }
      const figure = bytesCopied === null ? undefined : common.of(bytes(bytesCopied), bytes(bytesTotal));
      return (
        <Meter
          label={texts.columns.progress}
          value={progress}
          limit={2}
          {...(figure === undefined ? {} : { figure })}
        />
      );
    },
  },
  {
    accessor: "averageBytesPerSecond",
    title: texts.columns.rate,
    render: ({ averageBytesPerSecond }) =>
      averageBytesPerSecond === null ? "–" : texts.perSecond(bytes(averageBytesPerSecond)),
  },
  {
    accessor: "durationSeconds",
    title: texts.columns.duration,
    render: ({ durationSeconds }) => span(durationSeconds),
  },
  {
    accessor: "startedAt",
    title: texts.columns.started,
    width: 120,
    render: ({ startedAt }) => <Age at={startedAt} never={texts.waiting} />,
  },
];
