// Makes one effect on the platform exactly once: recorded before it is made, found again after a crash, and followed to its end.
import { machineTime } from "../../src/concurrency/clock.js";
import { pauseUnlessAborted } from "../../src/concurrency/pause.js";
import { DroverError } from "../../src/errors/errors.js";
import type { GuestAddress } from "../../src/hypervisor/guest.js";
import { isPlatformError, PlatformReason, platformError } from "../../src/hypervisor/platformError.js";
import { taskFailure, type TaskOutcome, type Upid } from "../../src/hypervisor/task.js";
import { taskEnd } from "../../src/hypervisor/taskEnd.js";
import { proveLease } from "./proveLease.js";
import { awaitQuiet } from "./quiet.js";
import { pastLocks } from "./retry.js";
import { wasBegun, type StepContext } from "./step.js";

/** Longest time that a job follows one platform task. */
const LONGEST_TASK_MS = 6 * 3600 * 1000;
/** A request whose response was lost may still start this long afterwards: the platform's own proxy gives up before the process behind it. */
export const LATE_START_MS = 35_000;
const LOOK_AGAIN_MS = 500;
const WAIT_MS = 1_000;
/** How long a request whose response was lost may still be at work, before it is repeated. */
const SETTLE_MS = 5 * 60 * 1000;

/** What an earlier attempt left: its task; null when the effect is complete. */
export interface Trace {
  readonly upid: Upid | null;
}

interface NamedEffect {
  /** Its name in the job's facts. */
  readonly name: string;
  /** Looks for an effect that an earlier attempt made without recording its task. @returns null: there is no trace of one */
  find(): Promise<Trace | null>;
}

/** Requests the effect. @returns the task; null when it was done at once */
type Start = () => Promise<Upid | null>;

/** One change of the platform. */
export interface Effect extends NamedEffect {
  readonly start: Start;
  /** The guest that it changes, if requesting it twice does no harm: `start` then checks itself what is left to do. */
  readonly repeatableOn?: GuestAddress;
}

/** A change that must never be made twice: a later attempt waits until the request can no longer be carried out late. */
export interface SingleEffect extends NamedEffect {
  /** Does and looks up what the request needs. */
  prepare(): Promise<{
    readonly start: Start;
    /** Recorded with the time of the request, right before it, by a write that proves the lease. */
    readonly findings: object;
  }>;
}

const isSingle = (effect: Effect | SingleEffect): effect is SingleEffect => "prepare" in effect;

/** The `find` of effects that can be repeated without looking: values known in advance, absolute sizes. */
export const leavesNoTrace = (): Promise<null> => Promise.resolve(null);

/**
 * Makes the effect, or joins the task of an earlier attempt, and waits for its end.
 * @returns how the task ended; null: there was none, or the platform has forgotten it
 * @throws DroverError with the platform's message; Fenced
 */
export const makeEffect = (context: StepContext, effect: Effect): Promise<TaskOutcome | null> =>
  endPastLocks(context, effect, { request: startOrJoin, follow: endOrFurther });

/**
 * Makes an effect once more whose task on record ended without it, or whose end is undone by now. The new task takes the place of
 * the old one on record. @returns and throws as `makeEffect`
 */
export const makeEffectAgain = (context: StepContext, effect: Effect): Promise<TaskOutcome | null> =>
  endPastLocks(context, effect, { request: begin, follow: (_, upid) => endOf(context, upid) });

/** How an effect gets its task, and how the task is followed. */
interface Making {
  readonly request: (context: StepContext, effect: Effect) => Promise<Upid | null>;
  readonly follow: (context: StepContext, upid: Upid, effect: Effect) => Promise<TaskOutcome | null>;
}

/** What a lock of the platform has refused, the request or its task, is looked for and requested again while locks are waited for. */
function endPastLocks(
  context: StepContext,
  effect: Effect,
  { request: first, follow }: Making,
): Promise<TaskOutcome | null> {
  let getTask = first;
  return pastLocks(context, async () => {
    const task = getTask(context, effect);
    getTask = begin;
    const upid = await task;
    return upid === null ? null : follow(context, upid, effect);
  });
}

/** @returns how the task ended, or the one that was requested in the place of one that the platform has forgotten */
async function endOrFurther(context: StepContext, upid: Upid, effect: Effect): Promise<TaskOutcome | null> {
  const outcome = await endOf(context, upid);
  if (outcome !== null) return outcome;
  const forgotten = platformError(PlatformReason.NOT_FOUND, `the platform no longer knows what became of ${upid}`);
  const further = await findOrRepeat(context, effect, { error: forgotten, mayStartLate: false });
  if (further === null) return null;
  await context.rememberTask(effect.name, further);
  const outcomeOfFurther = await endOf(context, further);
  if (outcomeOfFurther !== null) return outcomeOfFurther;
  if (effect.repeatableOn === undefined) throw forgotten;
  context.warn(`how ${effect.name} ended is not known: the platform has forgotten its task`);
  return null;
}

/**
 * Forgets an effect of which it is known that nothing came of it: its next request is an effect of its own, and nothing of this one is
 * left to be undone. @throws Fenced
 */
export async function forgetEffect(context: StepContext, name: string): Promise<void> {
  const { begun = [], tasks = {} } = context.facts;
  await context.remember({
    begun: begun.filter((other) => other !== name),
    tasks: Object.fromEntries(Object.entries(tasks).filter(([other]) => other !== name)),
  });
}

/** Makes the effect, or joins the task of an earlier attempt; the caller follows the task. @returns the task; null: it is complete */
export const startOrJoin = async (context: StepContext, effect: Effect | SingleEffect): Promise<Upid | null> =>
  context.facts.tasks?.[effect.name] ?? begin(context, effect);

/** @returns how the task ended well; null: the platform no longer knows it. @throws DroverError with the words of a task that failed */
async function endOf(context: StepContext, upid: Upid): Promise<TaskOutcome | null> {
  const waiting = { signal: context.signal, timeoutMs: LONGEST_TASK_MS };
  const outcome = await taskEnd(await context.hypervisor(), upid, waiting);
  if (outcome === null || outcome.succeeded) return outcome;
  throw taskError(outcome);
}

/** Failures of a task by which nothing is made: the VMID is taken, or a lock was not to be had. */
const WITHOUT_EFFECT: readonly (PlatformReason | null)[] = [PlatformReason.EXISTS, PlatformReason.LOCKED];

/** Only those keep their reason: whatever else a task failed of came after its begin. */
export function taskError(outcome: TaskOutcome): DroverError {
  const { failure, place } = outcome;
  const isWithoutEffect = failure !== null && WITHOUT_EFFECT.includes(failure);
  return new DroverError("platform", taskFailure(outcome), { ...(isWithoutEffect && { reason: failure }), place });
}

async function begin(context: StepContext, effect: Effect | SingleEffect): Promise<Upid | null> {
  const trace = await earlierTrace(context, effect);
  const upid = trace === null ? await request(context, effect) : trace.upid;
  if (upid !== null) await context.rememberTask(effect.name, upid);
  return upid;
}

/** Records the effect, unless that is left until the request. @returns what an earlier attempt made of it */
async function earlierTrace(context: StepContext, effect: Effect | SingleEffect): Promise<Trace | null> {
  if (!isSingle(effect)) return (await context.beginEffect(effect.name)) ? effect.find() : null;
  return wasBegun(context.facts, effect.name) ? awaitTrace(context, effect, recordedLateStart(context)) : null;
}

/** A request whose response was lost may have been carried out: the platform is asked before the effect counts as failed. */
async function request(context: StepContext, effect: Effect | SingleEffect): Promise<Upid | null> {
  const start = isSingle(effect) ? await prepared(context, effect) : effect.start;
  try {
    return await start();
  } catch (error) {
    if (!isPlatformError(error, PlatformReason.UNCERTAIN)) throw error;
    if (!isSingle(effect)) return findOrRepeat(context, effect, { error, mayStartLate: true });
    return traceOrThrow(context, effect, { error, isOver: recordedLateStart(context) });
  }
}

async function prepared(context: StepContext, effect: SingleEffect): Promise<Start> {
  const { start, findings } = await effect.prepare();
  await recordRequest(context, effect.name, findings);
  return start;
}

/** The last thing before the request. @throws Fenced */
function recordRequest(context: StepContext, name: string, findings: object): Promise<void> {
  const { begun = [] } = context.facts;
  return proveLease(context.stopwatch, () =>
    context.remember({
      ...(!begun.includes(name) && { begun: [...begun, name] }),
      ...findings,
      orderedAt: machineTime(context.services.clock).toISOString(),
    }),
  );
}

/** An effect of which it is not known whether it was made. */
interface UncertainOutcome {
  readonly error: DroverError;
  /** Whether the platform may still begin it. */
  readonly mayStartLate: boolean;
}

/** @returns the task that makes the effect; null when it is complete. @throws the outcome's error when there is no trace of it */
async function findOrRepeat(
  context: StepContext,
  effect: Effect,
  { error, mayStartLate }: UncertainOutcome,
): Promise<Upid | null> {
  const { repeatableOn: guest } = effect;
  if (guest !== undefined && (await hasSettled(context, guest)))
    return mayStartLate ? resubmit(context, effect) : effect.start();
  return traceOrThrow(context, effect, { error, isOver: mayStartLate ? lateStartFromNow(context) : () => true });
}

async function traceOrThrow(
  context: StepContext,
  effect: NamedEffect,
  { error, isOver }: { readonly error: DroverError; readonly isOver: () => boolean },
): Promise<Upid | null> {
  const trace = await awaitTrace(context, effect, isOver);
  if (trace === null) throw error;
  return trace.upid;
}

/** Recorded before the request: after a crash the next worker waits for the end of the lost request too. */
async function resubmit(context: StepContext, effect: Effect): Promise<Upid | null> {
  const before = context.facts.orderedAgain ?? {};
  await context.remember({ orderedAgain: { ...before, [effect.name]: context.services.clock.now().toISOString() } });
  const upid = await effect.start();
  if (upid === null) await context.remember({ orderedAgain: before });
  return upid;
}

/** Waits until the platform no longer begins the lost request of an effect that was resubmitted: to be done before its opposite. */
export async function awaitLateStart(context: StepContext, effect: string): Promise<void> {
  const { facts, services, waiting } = context;
  const at = facts.orderedAgain?.[effect];
  if (at === undefined) return;
  while (services.clock.now().getTime() < Date.parse(at) + LATE_START_MS) {
    waiting.waits(`an order (${effect}) whose answer was lost may still be carried out`, WAIT_MS);
    await pauseUnlessAborted(context, WAIT_MS);
  }
  waiting.goesOn();
}

/** Whether a request that was lost now can no longer be carried out. */
function lateStartFromNow({ stopwatch }: StepContext): () => boolean {
  const deadline = stopwatch.milliseconds() + LATE_START_MS;
  return () => stopwatch.milliseconds() > deadline;
}

/** Whether the request whose time is on record can no longer be carried out. */
function recordedLateStart({ facts: { orderedAt }, services }: StepContext): () => boolean {
  const deadline = orderedAt === undefined ? 0 : Date.parse(orderedAt) + LATE_START_MS;
  return () => machineTime(services.clock).getTime() > deadline;
}

/** Looks for what came of a request as long as it may still be carried out: what comes after that would not be noticed. */
async function awaitTrace(context: StepContext, effect: NamedEffect, isOver: () => boolean): Promise<Trace | null> {
  for (;;) {
    const isLast = isOver();
    const trace = await effect.find();
    if (trace !== null || isLast) return trace;
    await pauseUnlessAborted(context, LOOK_AGAIN_MS);
  }
}

/** Whether everything that the lost request may have started has ended. */
const hasSettled = async (context: StepContext, guest: GuestAddress): Promise<boolean> =>
  awaitQuiet(context, { hypervisor: await context.hypervisor(), guest }, SETTLE_MS);
