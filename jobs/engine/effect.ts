// Makes one effect on the platform exactly once: recorded before it is made, found again after a crash, and followed to its end.
import { setTimeout as delay } from "node:timers/promises";
import { DroverError } from "../../src/errors/errors.js";
import type { GuestAddress } from "../../src/hypervisor/guest.js";
import { isPlatformError, PlatformReason, platformError } from "../../src/hypervisor/platformError.js";
import type { TaskOutcome, Upid } from "../../src/hypervisor/task.js";
import { taskEnd } from "../../src/hypervisor/taskEnd.js";
import { awaitQuiet } from "./quiet.js";
import type { StepContext } from "./step.js";

/** Longest time that a job follows one platform task. */
const LONGEST_TASK_MS = 6 * 3600 * 1000;
/** The platform may still begin what its answer was lost of: its own proxy gives up sooner than the process behind it. */
const LATE_START_MS = 35_000;
const LOOK_AGAIN_MS = 1_000;
/** How long a request whose answer was lost may still be at work, before it is repeated. */
const SETTLE_MS = 5 * 60 * 1000;

/** What an earlier attempt left: its task; null when the effect is complete. */
interface Trace {
  readonly upid: Upid | null;
}

interface Effect {
  /** Its name in the job's facts. */
  readonly name: string;
  /** Requests the effect. @returns the task; null when it was done at once */
  start(): Promise<Upid | null>;
  /** Looks for an effect that an earlier attempt made without recording its task. @returns null: there is no trace of one */
  find(): Promise<Trace | null>;
  /** The guest that it changes, if requesting it twice does no harm: `start` then checks itself what is left to do. */
  readonly repeatableOn?: GuestAddress;
}

/** The `find` of effects that can be repeated without looking: values known in advance, absolute sizes. */
export const leavesNoTrace = (): Promise<null> => Promise.resolve(null);

/**
 * Makes the effect, or joins the task of an earlier attempt, and waits for its end.
 * @returns how the task ended; null: there was none, or the platform has forgotten it
 * @throws DroverError with the platform's message; Fenced
 */
export async function makeEffect(context: StepContext, effect: Effect): Promise<TaskOutcome | null> {
  const upid = context.facts.tasks?.[effect.name] ?? (await begin(context, effect));
  if (upid === null) return null;
  const outcome = await endOf(context, upid);
  if (outcome !== null) return outcome;
  const forgotten = platformError(PlatformReason.NOT_FOUND, `the platform no longer knows what became of ${upid}`);
  const further = await findOrRepeat(context, effect, { error: forgotten, lateMs: 0 });
  if (further === null) return null;
  await context.rememberTask(effect.name, further);
  const outcomeOfFurther = await endOf(context, further);
  if (outcomeOfFurther !== null) return outcomeOfFurther;
  if (effect.repeatableOn === undefined) throw forgotten;
  context.warn(`how ${effect.name} ended is not known: the platform has forgotten its task`);
  return null;
}

/**
 * Makes an effect once more whose task on record ended without it, or whose end is undone by now. The new task takes the place of
 * the old one on record. @returns and throws as `makeEffect`
 */
export async function makeEffectAgain(context: StepContext, effect: Effect): Promise<TaskOutcome | null> {
  const upid = await begin(context, effect);
  return upid === null ? null : endOf(context, upid);
}

/** @returns how the task ended well; null: the platform no longer knows it. @throws DroverError with the words of a task that failed */
async function endOf(context: StepContext, upid: Upid): Promise<TaskOutcome | null> {
  const waiting = { signal: context.signal, timeoutMs: LONGEST_TASK_MS };
  const outcome = await taskEnd(await context.hypervisor(), upid, waiting);
  if (outcome === null || outcome.succeeded) return outcome;
  throw new DroverError("platform", `${outcome.type} failed: ${outcome.exitStatus ?? "no result"}`);
}

async function begin(context: StepContext, effect: Effect): Promise<Upid | null> {
  const begunBefore = await context.beginEffect(effect.name);
  const trace = begunBefore ? await effect.find() : null;
  const upid = trace === null ? await startOrFind(context, effect) : trace.upid;
  if (upid !== null) await context.rememberTask(effect.name, upid);
  return upid;
}

/** A request whose answer was lost may have been carried out: the platform is asked before the effect counts as failed. */
async function startOrFind(context: StepContext, effect: Effect): Promise<Upid | null> {
  try {
    return await effect.start();
  } catch (error) {
    if (!isPlatformError(error, PlatformReason.UNCERTAIN)) throw error;
    return findOrRepeat(context, effect, { error, lateMs: LATE_START_MS });
  }
}

/** Why it is not known what became of an effect. */
interface Doubt {
  readonly error: DroverError;
  /** For so long the platform may still begin it. */
  readonly lateMs: number;
}

/** @returns the task that makes the effect; null when it is complete. @throws the doubt's error when nothing tells of it */
async function findOrRepeat(context: StepContext, effect: Effect, { error, lateMs }: Doubt): Promise<Upid | null> {
  const { repeatableOn: guest } = effect;
  if (guest !== undefined && (await hasSettled(context, guest)))
    return lateMs > 0 ? orderAgain(context, effect) : effect.start();
  const trace = await awaitTrace(context, effect, lateMs);
  if (trace === null) throw error;
  return trace.upid;
}

/** On record before it is ordered: whoever goes on after a crash has to outlast the lost order too. */
async function orderAgain(context: StepContext, effect: Effect): Promise<Upid | null> {
  const before = context.facts.orderedAgain ?? {};
  await context.remember({ orderedAgain: { ...before, [effect.name]: context.services.clock.now().toISOString() } });
  const upid = await effect.start();
  if (upid === null) await context.remember({ orderedAgain: before });
  return upid;
}

/** Waits until the platform no longer begins the lost order of an effect that was ordered again: to be done before its opposite. */
export async function outlastLostOrder(
  { facts, services, signal, waiting }: StepContext,
  effect: string,
): Promise<void> {
  const at = facts.orderedAgain?.[effect];
  if (at === undefined) return;
  while (services.clock.now().getTime() < Date.parse(at) + LATE_START_MS) {
    waiting.waits(`an order (${effect}) whose answer was lost may still be carried out`, LOOK_AGAIN_MS);
    await delay(LOOK_AGAIN_MS, undefined, { signal });
  }
  waiting.goesOn();
}

/** Looks for what came of an order as long as it may still be carried out: nobody would know of what comes after that. */
async function awaitTrace({ signal }: StepContext, effect: Effect, lateMs: number): Promise<Trace | null> {
  const deadline = performance.now() + lateMs;
  for (;;) {
    const isLast = performance.now() > deadline;
    const trace = await effect.find();
    if (trace !== null || isLast) return trace;
    await delay(LOOK_AGAIN_MS, undefined, { signal });
  }
}

/** Whether everything that the lost request may have started has ended. */
const hasSettled = async (context: StepContext, guest: GuestAddress): Promise<boolean> =>
  awaitQuiet({ hypervisor: await context.hypervisor(), guest }, { patienceMs: SETTLE_MS, signal: context.signal });
