// Opens what a claimed job has stored, in the current shape of its kind; a job that cannot be read is parked, and nothing of it is done.
import { openStored, versionOf } from "../../src/job/kinds.js";
import { Unreadable, type StoredJson } from "../../src/job/shape.js";
import type { Services } from "../../src/context/context.js";
import type { Claim } from "../../src/store/job/claim.js";
import type { JobStore } from "../../src/store/jobStore.js";
import { lost } from "./journal.js";
import type { ClaimedJob } from "./step.js";

interface Opening {
  readonly services: Pick<Services, "log">;
  readonly store: JobStore;
}

/** @returns the job as its steps see it; null: it was parked @throws Fenced */
export async function openClaim({ services, store }: Opening, job: Claim): Promise<ClaimedJob | null> {
  const stored = read(job);
  if (stored instanceof Unreadable) {
    services.log.error({ jobId: job.id, kind: job.kind, version: job.version, reason: stored.message }, "job parked");
    if (!(await store.park(job, parkedBecause(stored)))) throw lost(job);
    return null;
  }
  const version = versionOf(job.kind);
  if (job.version < version && !(await store.bringForward(job, { ...stored, version }))) throw lost(job);
  return { ...job, ...stored };
}

function read(job: Claim): StoredJson | Unreadable {
  try {
    return openStored({ ...job, stepsDone: namesOfDone(job) });
  } catch (error) {
    if (error instanceof Unreadable) return error;
    throw error;
  }
}

const namesOfDone = ({ steps }: Claim): string[] =>
  steps.flatMap(({ name, status }) => (status === "done" || status === "warned" ? [name] : []));

const parkedBecause = ({ message }: Unreadable): string =>
  `this version cannot read what the job has stored (${message}): nothing was done, and all that the job held is kept for it; ` +
  `retry it with a version that reads it, or give it up`;
