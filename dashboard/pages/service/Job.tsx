// One job, followed while it runs, with the platform's tasks that it started.
import { Accordion, Stack, Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { useQuery } from "urql";
import { useLive } from "../../client/live.js";
import { Age } from "../../components/Age.js";
import { Answer, Failure, Nothing, Waiting } from "../../components/Answer.js";
import { Facts } from "../../components/Facts.js";
import { useHostNames } from "../../components/hostNames.js";
import { JobProgress } from "../../components/JobProgress.js";
import { ButtonLink, TextLink } from "../../components/links.js";
import { Page } from "../../components/Page.js";
import { Section } from "../../components/Section.js";
import { sentence, span } from "../../format.js";
import { JobDocument, TaskDocument, type JobQuery } from "../../generated/documents.js";

type ShownJob = JobQuery["job"];

export function JobPage() {
  const { id } = useParams({ from: "/shell/jobs/$id" });
  const live = useLive({ query: JobDocument, variables: { id: Number(id) }, kinds: ["JOB"], keep: false });
  const job = live.data?.job;
  return (
    <Page
      title={job === undefined ? `Job ${id}` : `${sentence(job.kind)} ${job.vmid ?? ""}`}
      above={[<TextLink to="/jobs">Jobs</TextLink>]}
      readAt={live.readAt}
      actions={job && <ToGuest job={job} />}
    >
      <Answer live={live}>
        {(data) => (
          <Stack gap="sm">
            <Section title="Progress">
              <JobProgress id={data.job.id} onEnd={live.refresh} />
            </Section>
            <JobFacts job={data.job} />
            <Section title="Tasks on the platform">
              <Tasks job={data.job} />
            </Section>
          </Stack>
        )}
      </Answer>
    </Page>
  );
}

/** Whether it was a container's job is not told: the guest's page finds it by its own search. */
function ToGuest({ job }: { readonly job: ShownJob }) {
  if (job.hostId === null || job.vmid === null || job.kind === "GUEST_DELETE") return null;
  return (
    <ButtonLink to="/guests" search={{ hostId: job.hostId, search: String(job.vmid) }} variant="default">
      Find guest {job.vmid}
    </ButtonLink>
  );
}

function JobFacts({ job }: { readonly job: ShownJob }) {
  const { nameOf } = useHostNames();
  const began = job.startedAt === null ? null : Date.parse(job.startedAt);
  const ended = job.finishedAt === null ? null : Date.parse(job.finishedAt);
  return (
    <Section title="Job">
      <Facts
        nameSpan={2}
        facts={[
          ["Number", job.id],
          ["Host", job.hostId === null ? "–" : nameOf(job.hostId)],
          ["Node", job.node ?? "–"],
          ["Asked for", <Age key="asked" at={job.createdAt} />],
          ["Started", <Age key="started" at={job.startedAt} never="not yet" />],
          ["Ended", <Age key="ended" at={job.finishedAt} never="not yet" />],
          ["Took", began === null || ended === null ? "–" : span((ended - began) / 1000)],
        ]}
      />
    </Section>
  );
}

function Tasks({ job }: { readonly job: ShownJob }) {
  const { hostId, upids } = job;
  if (upids.length === 0 || hostId === null) return <Nothing>No task was started yet.</Nothing>;
  return (
    <Accordion variant="contained" chevronPosition="left">
      {upids.map((upid) => (
        <Accordion.Item key={upid} value={upid}>
          <Accordion.Control>
            <span className="mono">{upid}</span>
          </Accordion.Control>
          <Accordion.Panel>
            <TaskLog hostId={hostId} upid={upid} />
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

/** `UPID:node:…` names the node that runs the task. */
const nodeOf = (upid: string): string => upid.split(":")[1] ?? "";

function TaskLog({ hostId, upid }: { readonly hostId: number; readonly upid: string }) {
  const [{ data, error }, execute] = useQuery({ query: TaskDocument, variables: { hostId, node: nodeOf(upid), upid } });
  if (error !== undefined) return <Failure error={error} retry={execute} />;
  if (data === undefined) return <Waiting lines={3} />;
  const { status, exitStatus, user, log } = data.task;
  return (
    <Stack gap={4}>
      <Text fz="sm">
        {status}
        {exitStatus !== null && `: ${exitStatus}`} · started by {user}
      </Text>
      <pre className="log">{log.join("\n")}</pre>
    </Stack>
  );
}
