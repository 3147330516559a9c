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
import { statusOf } from "../../components/TakingBack.js";
import { Table, type Column } from "../../components/Table.js";
import { TypedText } from "../../components/TypedText.js";
import { WorkFilter } from "../../components/WorkFilter.js";
import { bytes, span, words } from "../../format.js";
import { MigrationsDocument, type MigrationRowFragment } from "../../generated/documents.js";
import { DEFAULT_PER_PAGE } from "../../search.js";

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
    <Page title="Migrations" readAt={live.readAt}>
      <Filters>
        <WorkFilter
          statuses={STATUSES}
          status={status}
          hostId={hostId}
          anyHost="From or to any host"
          onFilter={(part) => void navigate({ search: (before) => ({ ...before, ...part, page: undefined }) })}
        />
        <TypedText
          label="Node"
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
          A move begins on the page of its guest.
        </Text>
      </Filters>
      <Answer live={live} lines={12}>
        {({ migrations }) => (
          <Table
            rows={migrations.items}
            columns={columns(nameOf)}
            empty={isNarrowed(filter) ? "No guest was moved like that." : "No guest was moved yet."}
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
    title: "Guest",
    render: ({ id, guestName, vmid }) => (
      <TextLink to="/migrations/$id" params={{ id: String(id) }} fw={500}>
        {guestName} ({vmid})
      </TextLink>
    ),
  },
  { accessor: "sourceNode", title: "From", render: (move) => `${nameOf(move.sourceHostId)} / ${move.sourceNode}` },
  { accessor: "targetNode", title: "To", render: (move) => `${nameOf(move.targetHostId)} / ${move.targetNode}` },
  { accessor: "mode", title: "How", render: ({ mode }) => words(mode) },
  { accessor: "status", title: "Status", render: (move) => <Status value={statusOf(move)} work /> },
  {
    accessor: "progress",
    cellsClassName: "wrap",
    title: "Progress",
    render: ({ status, progress, bytesCopied, bytesTotal, error }) => {
      if (status === "FAILED") {
        return (
          <Text fz="xs" c="var(--mantine-color-error)" lineClamp={2} title={error ?? undefined}>
            {error}
          </Text>
        );
      }
      const figure = bytesCopied === null ? undefined : `${bytes(bytesCopied)} of ${bytes(bytesTotal)}`;
      return <Meter label="Progress" value={progress} limit={2} {...(figure === undefined ? {} : { figure })} />;
    },
  },
  {
    accessor: "averageBytesPerSecond",
    title: "Rate",
    render: ({ averageBytesPerSecond }) => (averageBytesPerSecond === null ? "–" : `${bytes(averageBytesPerSecond)}/s`),
  },
  { accessor: "durationSeconds", title: "Took", render: ({ durationSeconds }) => span(durationSeconds) },
  {
    accessor: "startedAt",
    title: "Started",
    width: 120,
    render: ({ startedAt }) => <Age at={startedAt} never="waiting" />,
  },
];
