// Follows a task to its end, at a pace that suits short and long tasks, through outages of the host.
import type { TaskOutcome, TaskStatus, Upid, WaitOptions } from "../task.js";
import type { DroverError } from "../../errors.js";
import { isPlatformError, PlatformReason, platformError } from "../platformError.js";
import { reasonOfText } from "./errors.js";
import type { Ask } from "./client.js";
import type { DriverOptions } from "./options.js";
import { pauseUnlessAborted } from "./pause.js";
import { readTaskState } from "./tasks.js";

const HOUR_MS = 60 * 60_000;

/** @throws the signal's reason when it is given up; DroverError as the port says */
export async function followTask(
  { ask, options }: { ask: Ask; options: DriverOptions },
  upid: Upid,
  { signal, timeoutMs = HOUR_MS }: WaitOptions,
): Promise<TaskOutcome> {
  const deadline = performance.now() + timeoutMs;
  let waitMs = options.firstPollMs;
  let lastUnderstood = performance.now();
  for (;;) {
    signal?.throwIfAborted();
    const seen = await look(ask, upid);
    if ("ended" in seen) return seen.ended;
    if (!("failed" in seen)) lastUnderstood = performance.now();
    else if (performance.now() - lastUnderstood > options.patienceMs) throw seen.failed;
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) {
      throw platformError(PlatformReason.UNCERTAIN, `Gave up waiting for ${upid}: ${seen.because}`);
    }
    await pauseUnlessAborted(Math.min(waitMs, leftMs), signal);
    waitMs = Math.min(waitMs * 1.5, options.longestPollMs);
  }
}

type Look =
  | { readonly ended: TaskOutcome }
  | { readonly because: string }
  | { readonly because: string; readonly failed: DroverError };

/** A host that does not answer says nothing about its task; one that goes on failing to answer will not say it later either. */
async function look(ask: Ask, upid: Upid): Promise<Look> {
  try {
    const state = await readTaskState(ask, upid);
    return state.running ? { because: "it is still running" } : { ended: outcome(state) };
  } catch (error) {
    if (isPlatformError(error, PlatformReason.UNREACHABLE)) return { because: error.message };
    if (isPlatformError(error, PlatformReason.FAILED)) return { because: error.message, failed: error };
    throw error;
  }
}

/** `OK` and `WARNINGS: n` are successes; everything else is the error text of the task. */
function outcome({ endedAt: _untold, ...task }: TaskStatus): TaskOutcome {
  const text = task.exitStatus ?? "";
  const succeeded = text === "OK" || /^WARNINGS: \d+$/.test(text);
  return { ...task, succeeded, failure: succeeded ? null : reasonOfText(text) };
}
