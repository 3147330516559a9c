// Long work: jobs and the journal of their steps.
import { defineEntity, p } from "@mikro-orm/core";
import type { JobKind, JobStatus, UndoStatus } from "../core/enums.js";

export const JobEntity = defineEntity({
  name: "Job",
  tableName: "job",
  properties: {
    id: p.integer().primary().autoincrement(),
    kind: p.text().$type<JobKind>(),
    status: p.text().$type<JobStatus>().default("queued"),
    error: p.text().nullable(),
    hostId: p.integer().nullable(),
    node: p.text().nullable(),
    vmid: p.integer().nullable(),
    guestId: p.integer().nullable(),
    /** 0..1 */
    progress: p.float().columnType("real").nullable(),
    step: p.text().nullable(),
    /** Platform tasks, oldest first. */
    upids: p.array().default([]),
    /** What was asked for, frozen when the job was made. */
    input: p.json<unknown>().defaultRaw("'{}'"),
    /** Wiped when the job ends. */
    secretsEncrypted: p.text().nullable(),
    /** What the job remembers across workers. */
    facts: p.json<unknown>().defaultRaw("'{}'"),
    createdByUser: p.integer().nullable(),
    createdByToken: p.integer().nullable(),
    /** Version of the shape that `input` and `facts` have; 0: a release that named none. */
    version: p.smallint().default(0),
    /** Set while the job is parked: its JSON could not be read, and it keeps what it held. */
    parkedAt: p.datetime().nullable(),
    /** The newest version that a claiming process reads; never kept. */
    reads: p.smallint().nullable(),
    attempts: p.integer().default(0),
    /** Number of the claim; writes under an older one are refused. */
    leaseEpoch: p.integer().default(0),
    leaseUntil: p.datetime().nullable(),
    worker: p.text().nullable(),
    createdAt: p.datetime().defaultRaw("service_now()"),
    startedAt: p.datetime().nullable(),
    finishedAt: p.datetime().nullable(),
  },
});

export const JobStepEntity = defineEntity({
  name: "JobStep",
  tableName: "job_step",
  properties: {
    jobId: p.integer().primary(),
    name: p.text().primary(),
    position: p.integer(),
    status: p.text().$type<"running" | "done" | "warned" | "failed">(),
    output: p.json<unknown>().defaultRaw("'{}'"),
    error: p.text().nullable(),
    startedAt: p.datetime().defaultRaw("service_now()"),
    finishedAt: p.datetime().nullable(),
    /** Null: no rollback has come to the step. */
    undoStatus: p.text().$type<UndoStatus>().nullable(),
    /** What the undo left behind. */
    undoError: p.text().nullable(),
    undoStartedAt: p.datetime().nullable(),
    undoFinishedAt: p.datetime().nullable(),
  },
});
