// The two queues of long work: moves have one of their own, so that long ones never starve creations.
import { JobKind } from "./enums.js";

/** A queue as operators name it. */
export const WorkQueue = { JOBS: "jobs", MIGRATIONS: "migrations" } as const;
export type WorkQueue = (typeof WorkQueue)[keyof typeof WorkQueue];

export const WORK_QUEUES: readonly WorkQueue[] = Object.values(WorkQueue);

/** Migrations, and the runs that start them. */
export const MOVE_KINDS: readonly JobKind[] = [JobKind.MIGRATION, JobKind.EVACUATION, JobKind.BALANCE_RUN];

/** A queue counts as served for so long after a worker was seen: a scheduled one comes every minute. */
export const SEEN_SECONDS = 120;
