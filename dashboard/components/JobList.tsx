// A few jobs, one below the other, with how far they are.
import { Group, Progress, Stack, Text } from "@mantine/core";
import { percent } from "../format.js";
import type { JobRowFragment } from "../generated/documents.js";
import { Age } from "./Age.js";
import { Nothing } from "./Answer.js";
import { useHostNames } from "./hostNames.js";
import { TextLink } from "./links.js";
import { Status } from "./Status.js";
import { statusOf, troubleOf } from "./Rollback.js";
import { texts } from "../texts/common.js";
import { jobKindText, stepText } from "../texts/terms.js";

export function JobList({ jobs, empty }: { readonly jobs: readonly JobRowFragment[]; readonly empty: string }) {
  const { nameOf } = useHostNames();
  if (jobs.length === 0) return <Nothing>{empty}</Nothing>;
  return (
    <Stack gap={8}>
      {jobs.map((job) => (
        <JobLine key={job.id} job={job} nameOf={nameOf} />
      ))}
    </Stack>
  );
}

interface LineProperties {
  readonly job: JobRowFragment;
  readonly nameOf: (hostId: number) => string;
}

function JobLine({ job, nameOf }: LineProperties) {
  const { id, kind, status, step, progress, vmid, hostId, node, createdAt, finishedAt } = job;
  const trouble = job.error ?? troubleOf(job);
  return (
    <div>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text fz="sm" truncate>
          <TextLink to="/jobs/$id" params={{ id: String(id) }}>
            {jobKindText(kind)} {vmid ?? ""}
          </TextLink>{" "}
          <Text span c="dimmed" fz="xs">
            {hostId !== null && `${nameOf(hostId)}${node === null ? "" : ` / ${node}`}`}
          </Text>
        </Text>
        <Status value={statusOf(job)} work />
      </Group>
      {status === "RUNNING" && trouble === null && (
        <Group gap={8} wrap="nowrap">
          <Progress value={(progress ?? 0) * 100} size={5} flex={1} aria-label={texts.work.jobProgress(id)} />
          <Text fz="xs" c="dimmed" className="number">
            {progress === null ? stepText(step ?? "") : percent(progress)}
          </Text>
        </Group>
      )}
      <Text fz="xs" c="dimmed" lineClamp={2}>
        <Age at={finishedAt ?? createdAt} /> {trouble !== null && `· ${trouble}`}
      </Text>
    </div>
  );
}
