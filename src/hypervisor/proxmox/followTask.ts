// Follows a task to its end, at a pace that suits short and long tasks, through outages of the host and of its access control.
import { pauseUnlessAborted } from "../../concurrency/pause.js";
import type { TaskOutcome, TaskStatus, Upid, WaitOptions } from "../task.js";
import { DroverError } from "../../errors/errors.js";
import { isPlatformError, PlatformReason, platformError } from "../platformError.js";
import { reasonOfText } from "./errors.js";
import type { Ask } from "./client.js";
import type { DriverOptions } from "./options.js";
import { readTaskState } from "./tasks.js";

const HOUR_MS = 60 * 60_000;

/** @throws the signal's reason when it is given up; DroverError as the port says */
export async function followTask(
  { ask, options }: { ask: Ask; options: DriverOptions },
  upid: Upid,
  { signal, timeoutMs = HOUR_MS }: WaitOptions,
): Promise<TaskOutcome> {
  const { stopwatch } = options;
  const deadline = stopwatch.milliseconds() + timeoutMs;
  let waitMs = options.firstPollMs;
  let lastUnderstood = stopwatch.milliseconds();
  for (;;) {
    signal?.throwIfAborted();
    const seen = await look({ ask, options }, upid);
    if ("ended" in seen) return seen.ended;
    const now = stopwatch.milliseconds();
    if (seen.unanswered === undefined) lastUnderstood = now;
    else if (now - lastUnderstood > seen.unanswered.patienceMs) throw givenUp(seen.unanswered.reason, upid, seen);
    const leftMs = deadline - now;
    if (leftMs <= 0) throw givenUp(PlatformReason.UNCERTAIN, upid, seen);
    await pauseUnlessAborted({ stopwatch, signal }, Math.min(waitMs, leftMs));
    waitMs = Math.min(waitMs * 1.5, options.longestPollMs);
  }
}

type Look = { readonly ended: TaskOutcome } | NotEnded;

interface NotEnded {
  readonly because: string;
  /** Which `because` says. */
  readonly place: string | undefined;
  readonly unanswered?: Unanswered;
}

/** Why a host that answers does not say how its task stands, and for how long it is asked all the same. */
interface Unanswered {
  readonly reason: PlatformReason;
  readonly patienceMs: number;
}

/** A host that does not answer says nothing about its task. */
async function look({ ask, options }: { ask: Ask; options: DriverOptions }, upid: Upid): Promise<Look> {
  try {
    const state = await readTaskState(ask, upid);
    if (!state.running) return { ended: outcome(state) };
    return { because: `it is still running on ${state.place}`, place: state.place };
  } catch (error) {
    if (isPlatformError(error, PlatformReason.UNREACHABLE)) return { because: error.message, place: error.place };
    const unanswered = reasonsToWait(options).find(({ reason }) => isPlatformError(error, reason));
    if (unanswered === undefined || !(error instanceof DroverError)) throw error;
    return { because: error.message, place: error.place, unanswered };
  }
}

/**
 * A host that goes on failing to answer, or that somebody else answers for, will not say it later either. Whom it does not know or allow now it may know again when
 * its access control has restarted, or when an operator has given the service a new credential.
 */
const reasonsToWait = ({ patienceMs, credentialMs }: DriverOptions): readonly Unanswered[] => [
  { reason: PlatformReason.FAILED, patienceMs },
  { reason: PlatformReason.UNINTELLIGIBLE, patienceMs },
  { reason: PlatformReason.AUTHENTICATION, patienceMs: credentialMs },
  { reason: PlatformReason.FORBIDDEN, patienceMs: credentialMs },
];

const givenUp = (reason: PlatformReason, upid: Upid, { because, place }: NotEnded): DroverError =>
  platformError(reason, `Gave up waiting for ${upid}, which may go on by itself: ${because}`, { place });

const outcome = ({ endedAt: _endedAt, ...task }: TaskStatus & Pick<TaskOutcome, "place">): TaskOutcome => ({
  ...task,
  failure: task.succeeded ? null : reasonOfText(task.exitStatus ?? ""),
});
