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
import { span } from "../../format.js";
import { JobDocument, TaskDocument, type JobQuery } from "../../generated/documents.js";
import { texts } from "../../texts/jobs.js";
import { jobKindText } from "../../texts/terms.js";

type ShownJob = JobQuery["job"];

export function JobPage() {
  const { id } = useParams({ from: "/shell/jobs/$id" });
  const live = useLive({ query: JobDocument, variables: { id: Number(id) }, kinds: ["JOB"], keep: false });
  const job = live.data?.job;
  return (
    <Page
      title={job === undefined ? texts.jobNumber(id) : texts.heading(jobKindText(job.kind), job.vmid)}
      above={[<TextLink to="/jobs">{texts.title}</TextLink>]}
      readAt={live.readAt}
      actions={job && <ToGuest job={job} />}
    >
      <Answer live={live}>
        {(data) => (
          <Stack gap="sm">
            <Section title={texts.progress}>
              <JobProgress id={data.job.id} onEnd={live.refresh} />
            </Section>
            <JobFacts job={data.job} />
            <Section title={texts.tasks}>
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
      {texts.findGuest(job.vmid)}
    </ButtonLink>
  );
}

function JobFacts({ job }: { readonly job: ShownJob }) {
  const { nameOf } = useHostNames();
  const began = job.startedAt === null ? null : Date.parse(job.startedAt);
  const ended = job.finishedAt === null ? null : Date.parse(job.finishedAt);
  return (
    <Section title={texts.job}>
      <Facts
        nameSpan={2}
        facts={[
          [texts.facts.id, job.id],
          [texts.facts.host, job.hostId === null ? "–" : nameOf(job.hostId)],
          [texts.facts.node, job.node ?? "–"],
          [texts.facts.requested, <Age key="asked" at={job.createdAt} />],
          [texts.facts.started, <Age key="started" at={job.startedAt} never={texts.notYet} />],
          [texts.facts.finished, <Age key="ended" at={job.finishedAt} never={texts.notYet} />],
          [texts.facts.duration, began === null || ended === null ? "–" : span((ended - began) / 1000)],
        ]}
      />
    </Section>
  );
}

function Tasks({ job }: { readonly job: ShownJob }) {
  const { hostId, upids } = job;
  if (upids.length === 0 || hostId === null) return <Nothing>{texts.noTasks}</Nothing>;
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
      <Text fz="sm">{texts.taskState(status, exitStatus, user)}</Text>
      <pre className="log">{log.join("\n")}</pre>
    </Stack>
  );
}
