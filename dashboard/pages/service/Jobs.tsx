// All jobs, newest first.
import { Group, Progress, Text } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useLive } from "../../client/live.js";
import { Age } from "../../components/Age.js";
import { Answer } from "../../components/Answer.js";
import { Filters, isNarrowed } from "../../components/Filters.js";
import { useHostNames } from "../../components/hostNames.js";
import { TextLink } from "../../components/links.js";
import { Page } from "../../components/Page.js";
import { Status } from "../../components/Status.js";
import { statusOf, troubleOf } from "../../components/Rollback.js";
import { Table, type Column } from "../../components/Table.js";
import { WorkFilter } from "../../components/WorkFilter.js";
import { percent } from "../../format.js";
import { JobsDocument, type JobRowFragment } from "../../generated/documents.js";
import { DEFAULT_PER_PAGE } from "../../search.js";
import { texts } from "../../texts/jobs.js";
import { jobKindText, stepText } from "../../texts/terms.js";

const STATUSES = ["QUEUED", "RUNNING", "DONE", "FAILED"] as const;

export function Jobs() {
  const { page = 1, perPage = DEFAULT_PER_PAGE, status, hostId, vmid } = useSearch({ from: "/shell/jobs" });
  const navigate = useNavigate({ from: "/jobs" });
  const { nameOf } = useHostNames();
  const filter = {
    ...(status === undefined ? {} : { status }),
    ...(hostId === undefined ? {} : { hostIds: [hostId] }),
    ...(vmid === undefined ? {} : { vmid }),
  };
  const live = useLive({ query: JobsDocument, variables: { filter, page, perPage }, kinds: ["JOB"] });
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
        {vmid !== undefined && (
          <Text fz="sm">
            {texts.onlyVmid(vmid)}{" "}
            <TextLink to="/jobs" search={{ status, hostId }}>
              {texts.showAll}
            </TextLink>
          </Text>
        )}
      </Filters>
      <Answer live={live} lines={12}>
        {({ jobs }) => (
          <Table
            rows={jobs.items}
            columns={columns(nameOf)}
            empty={isNarrowed(filter) ? texts.noMatch : texts.empty}
            onOpen={({ id }) => void navigate({ to: "/jobs/$id", params: { id: String(id) } })}
            paging={{
              page,
              perPage,
              total: jobs.meta.total,
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

const columns = (nameOf: (hostId: number | null) => string): Column<JobRowFragment>[] => [
  {
    accessor: "id",
    title: texts.job,
    width: 80,
    render: ({ id }) => (
      <TextLink to="/jobs/$id" params={{ id: String(id) }}>
        {id}
      </TextLink>
    ),
  },
  { accessor: "kind", title: texts.facts.type, render: ({ kind }) => jobKindText(kind) },
  { accessor: "vmid", title: texts.facts.guest, render: ({ vmid }) => vmid ?? "–" },
  {
    accessor: "hostId",
    title: texts.facts.hostAndNode,
    render: ({ hostId, node }) => [nameOf(hostId), node].filter(Boolean).join(" / "),
  },
  { accessor: "status", title: texts.facts.status, render: (job) => <Status value={statusOf(job)} work /> },
  {
    accessor: "progress",
    cellsClassName: "wrap",
    title: texts.progress,
    width: 220,
    render: (job) => <JobState job={job} />,
  },
  {
    accessor: "createdAt",
    title: texts.facts.requested,
    width: 120,
    render: ({ createdAt }) => <Age at={createdAt} />,
  },
  {
    accessor: "finishedAt",
    title: texts.facts.finished,
    width: 120,
    render: ({ finishedAt }) => <Age at={finishedAt} never="–" />,
  },
];

/** How far it is; of what does not go well, why. */
function JobState({ job }: { readonly job: JobRowFragment }) {
  const { id, status, progress, step, error } = job;
  const trouble = error ?? troubleOf(job);
  if (status === "RUNNING" && trouble === null) {
    return (
      <Group gap={8} wrap="nowrap">
        <Progress w={80} size={6} value={(progress ?? 0) * 100} aria-label={texts.progressOf(id)} />
        <Text span fz="xs">
          {progress === null ? stepText(step ?? "") : percent(progress)}
        </Text>
      </Group>
    );
  }
  return (
    <Text fz="xs" c="var(--mantine-color-error)" lineClamp={2} title={trouble ?? undefined}>
      {trouble}
    </Text>
  );
}
