// Runs one job: claims it, drives its steps from where the journal stops, rolls back what failed, and ends it.
import { isDatabaseTrouble } from "../../src/db/databaseTrouble.js";
import type { Stopwatch } from "../../src/concurrency/stopwatch.js";
import type { Services } from "../../src/context/context.js";
import type { JobObservation } from "../../src/observability/metrics.js";
import type { JobKind } from "../../src/core/enums.js";
import type { Claim } from "../../src/store/job/claim.js";
import type { JobStore } from "../../src/store/jobStore.js";
import { claim, keepLease } from "./lease.js";
import { openClaim } from "./openClaim.js";
import {
  Drained,
  Fenced,
  failureText,
  placedFailureText,
  type JobDefinition,
  type JobFacts,
  type Step,
  type UndoResult,
} from "./step.js";
import { IllegalChange } from "./stepStates.js";
import { JobContext } from "./context.js";

/** The worker that executes. */
export interface Executor {
  readonly services: Services;
  readonly store: JobStore;
  /** What the pauses and limits of its jobs, and the renewals of their leases, go by. */
  readonly stopwatch: Stopwatch;
  /** @throws Error for a kind that this version does not have */
  readonly definitionOf: (kind: JobKind) => JobDefinition;
  /** Its name in the database, unique among processes. */
  readonly worker: string;
  /** Ends its work: running steps are left resumable. */
  readonly stopping: AbortSignal;
  readonly observe: (seen: JobObservation) => void;
}

/** Runs the job if it is free; returns when it has ended, was lost to another worker, or this one stops. */
export async function runJob(executor: Executor, jobId: number): Promise<void> {
  const job = await claim(executor, jobId);
  if (job !== null) await runClaimed(executor, job);
}

/** Runs a job that this worker has claimed. */
export async function runClaimed(executor: Executor, job: Claim): Promise<void> {
  if (job.attempts === 1) executor.observe({ kind: job.kind, pickedUpAfterSeconds: job.waitedSeconds });
  const ended = new AbortController();
  const lost = new AbortController();
  const renewing = keepLease(executor, job, { held: ended.signal, lost: () => lost.abort(new Fenced("lease lost")) });
  const signal = AbortSignal.any([executor.stopping, lost.signal]);
  try {
    await drive(executor, job, signal);
  } catch (error) {
    await interrupted(executor, job, { error, signal });
  } finally {
    ended.abort();
    await renewing;
  }
}

async function drive(executor: Executor, job: Claim, signal: AbortSignal): Promise<void> {
  const opened = await openClaim(executor, job);
  if (opened === null) return executor.observe({ kind: job.kind, status: "failed" });
  const context = new JobContext(executor, opened, signal);
  try {
    await driveIn(context, executor);
  } finally {
    await context.waiting.settled();
  }
}

async function driveIn(context: JobContext, executor: Executor): Promise<void> {
  const { job, signal } = context;
  const definition = executor.definitionOf(job.kind);
  const failure = context.facts.failure ?? (await runSteps(definition, context));
  signal.throwIfAborted();
  if (failure === null) {
    await context.journal.end(null);
    executor.observe({ kind: job.kind, status: "done" });
    return;
  }
  const left = await rollBack(definition, context);
  signal.throwIfAborted();
  await context.journal.end(left === null ? failure : `${failure}; left behind: ${left}`);
  executor.observe({ kind: job.kind, status: "failed" });
}

/** Runs the steps that the journal lacks. @returns why the job fails, or null when all are done */
async function runSteps(definition: JobDefinition, context: JobContext): Promise<string | null> {
  const { journal, signal } = context;
  const whole = definition.steps.reduce((sum, step) => sum + step.weight, 0);
  let reached = 0;
  for (const [position, step] of definition.steps.entries()) {
    const share = step.weight / whole;
    const from = reached;
    reached = Math.min(1, reached + share);
    if (journal.steps.isDone(step.name)) continue;
    await context.enter(step, { position, from, share });
    const failure = await attempt(step, context, { position, reached });
    if (failure !== null) return failure;
    // A worker that stops hands on what it has done.
    if (signal.aborted) await journal.write();
    signal.throwIfAborted();
  }
  return null;
}

/**
 * Runs one step. What the journal throws is no failure of the step, nor is the end of the worker, nor a database that cannot
 * serve: the step is then run again. @returns why the job fails, or null when it goes on
 */
async function attempt(
  step: Step<JobFacts>,
  context: JobContext,
  { position, reached }: { position: number; reached: number },
): Promise<string | null> {
  const { name } = step;
  try {
    const output = await step.run(context);
    context.journal.stepEnded({ name, position, ...context.ending, output }, reached);
    context.add(output);
    return null;
  } catch (error) {
    if (isInterruption(error, context)) throw error;
    context.log.warn({ err: error, step: name }, "step failed");
    const failure = placedFailureText(error, context.job);
    if (step.onError === "warn") {
      const warning = [context.ending.error, failure].filter((text) => text !== undefined).join("; ");
      context.journal.stepEnded({ name, position, status: "warned", error: warning }, reached);
      return null;
    }
    await context.journal.write({
      steps: [{ name, position, status: "failed", error: failure }],
      findings: { failure },
    });
    return failure;
  }
}

/** Undoes the steps that began and can be undone, the last one first. @returns what is left behind */
async function rollBack({ steps }: JobDefinition, context: JobContext): Promise<string | null> {
  context.leave();
  const left: string[] = [];
  for (const step of steps.filter(isUndoable).toReversed()) {
    const result = context.journal.steps.hasBegun(step.name) ? await undo(step, context) : null;
    if (typeof result === "string") left.push(result);
  }
  return left.length === 0 ? null : left.join("; ");
}

type UndoableStep = Step<JobFacts> & Required<Pick<Step<JobFacts>, "undo">>;

const isUndoable = (step: Step<JobFacts>): step is UndoableStep => step.undo !== undefined;

/** Undoes a step, unless that has been done. */
async function undo(step: UndoableStep, context: JobContext): Promise<UndoResult> {
  const { journal } = context;
  const known = journal.steps.undoneAs(step.name);
  if (known !== undefined) return known;
  await journal.undoBegins(step.name);
  const result = await attemptUndo(step, context);
  await journal.undoEnded(step.name, result);
  return result;
}

/** A rollback that fails ends the job too: repeated for ever, it would keep all that the job holds. */
async function attemptUndo(step: UndoableStep, context: JobContext): Promise<UndoResult> {
  try {
    return await step.undo(context);
  } catch (error) {
    if (isInterruption(error, context)) throw error;
    context.log.error({ err: error, step: step.name }, "the rollback of a step failed");
    return failureText(error);
  }
}

/** Whether the work ended for a reason that is not its own, so that somebody goes on with it. */
const isInterruption = (error: unknown, { signal }: JobContext): boolean =>
  error instanceof Fenced ||
  error instanceof Drained ||
  error instanceof IllegalChange ||
  signal.aborted ||
  isDatabaseTrouble(error);

/** Releases the job at once if the database is available; one that another worker has taken over is left alone. */
async function interrupted(
  executor: Executor,
  job: Claim,
  { error, signal }: { error: unknown; signal: AbortSignal },
): Promise<void> {
  const { services, store } = executor;
  const { log } = services;
  if (error instanceof Fenced || signal.reason instanceof Fenced) {
    log.warn({ jobId: job.id }, "lease lost to another worker");
    return;
  }
  if (error instanceof IllegalChange) return parkUnfit(executor, job, error);
  if (error instanceof Drained) log.info({ jobId: job.id }, "the job waits for the end of the drain");
  else if (isDatabaseTrouble(error)) log.warn({ err: error, jobId: job.id }, "the job waits for the database");
  else if (!signal.aborted) log.error({ err: error, jobId: job.id }, "the job was interrupted");
  await (error instanceof Drained ? store.requeue(job) : store.release(job)).catch((reason: unknown) =>
    log.warn({ err: reason, jobId: job.id }, "lease release failed; the lease expires by itself"),
  );
}

/** Parks a job whose journal does not fit its steps: run again, it would come to the same point for ever. */
async function parkUnfit({ services: { log }, store }: Executor, job: Claim, error: IllegalChange): Promise<void> {
  log.error({ err: error, jobId: job.id, kind: job.kind }, "job parked");
  const reason = `its journal does not fit its steps (${error.message}): nothing more was done, and all that the job held is kept for it; retry it, or give it up`;
  await store
    .park(job, reason)
    .catch((fault: unknown) => log.warn({ err: fault, jobId: job.id }, "a job could not be parked"));
}
