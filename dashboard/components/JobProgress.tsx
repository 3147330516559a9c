// Follows one job to its end: its step, how far it is, and why it failed.
import { Alert, Group, Progress, Stack, Text } from "@mantine/core";
import { useEffect } from "react";
import { useSubscription } from "urql";
import { percent } from "../format.js";
import { JobProgressDocument, type JobProgressSubscription } from "../generated/documents.js";
import { FailureText } from "./FailureText.js";
import { TextLink } from "./links.js";
import { Stalled } from "./Stalled.js";
import { Status } from "./Status.js";
import { statusOf, Rollback, UndoneSteps } from "./Rollback.js";
import { Waits } from "./Waits.js";
import { Warnings } from "./Warnings.js";
import { texts } from "../texts/common.js";
import { jobKindText, stepText } from "../texts/terms.js";

export type FollowedJob = JobProgressSubscription["jobProgress"];

interface Properties {
  readonly id: number;
  /** Called once, when the job was seen to have ended. */
  readonly onEnd?: (job: FollowedJob) => void;
}

const hasEnded = ({ status }: Pick<FollowedJob, "status">): boolean => status === "DONE" || status === "FAILED";

export function JobProgress({ id, onEnd }: Properties) {
  const job = useJob(id);
  const ended = job !== undefined && hasEnded(job);
  useEffect(() => {
    if (ended) onEnd?.(job);
    // Said once: later readings of an ended job are no news.
  }, [ended]);
  if (job === undefined) return <Text fz="sm">{texts.work.jobNumber(id)} …</Text>;
  return (
    <Stack gap={6} aria-live="polite">
      <Group justify="space-between">
        <Text fz="sm">
          <TextLink to="/jobs/$id" params={{ id: String(id) }}>
            {jobKindText(job.kind)}
          </TextLink>
          {job.step !== null && !ended && ` – ${stepText(job.step)}`}
        </Text>
        <Group gap="sm">
          <Text fz="sm" className="number">
            {percent(job.progress)}
          </Text>
          <Status value={statusOf(job)} work />
        </Group>
      </Group>
      <Progress
        value={(job.progress ?? 0) * 100}
        color={job.status === "FAILED" || job.rollback !== null ? "red.6" : "harbour.6"}
        animated={job.status === "RUNNING"}
        aria-label={texts.work.jobProgress(id)}
      />
      <Waits of={job.waitingFor} />
      <Rollback of={job.rollback} />
      <Stalled notice={job.notice} />
      <Warnings title={texts.work.warnings} warnings={job.warnings} />
      {job.error !== null && (
        <Alert color="red" title={texts.work.failed}>
          <FailureText error={job.error} />
        </Alert>
      )}
      <UndoneSteps steps={job.undoneSteps} />
    </Stack>
  );
}

/** The job's newest state; undefined until it has come. */
function useJob(id: number): FollowedJob | undefined {
  const [{ data }] = useSubscription({ query: JobProgressDocument, variables: { id } });
  return data?.jobProgress.id === id ? data.jobProgress : undefined;
}
