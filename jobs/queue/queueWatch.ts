// Watches whether the job queue can be used, for the readiness, a metric and the log: without it everything works, only later.
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../../src/observability/log.js";
import { queueUp } from "../../src/observability/metrics.js";
import { pause } from "../../src/concurrency/pause.js";
import type { JobQueue } from "./queue.js";

const LOOK_MS = 2_000;
/** A queue that needs longer to answer is of no use for waking workers. */
const PATIENCE_MS = 2_000;

export interface QueueWatch {
  /** Why wake-ups cannot be stored; null while they can. Some seconds old at most. */
  readonly fault: string | null;
  stop(): Promise<void>;
}

/** Looks at a queue that was just connected, until it is stopped. */
export function watchQueue(queue: Pick<JobQueue, "check">, log: Logger, everyMs: number = LOOK_MS): QueueWatch {
  const stopping = new AbortController();
  const state: { fault: string | null } = { fault: null };
  queueUp.set(1);
  const look = async (): Promise<void> => {
    const before = state.fault;
    state.fault = await faultOf(queue);
    queueUp.set(state.fault === null ? 1 : 0);
    if (before === null && state.fault !== null) {
      log.warn({ reason: state.fault }, "the job queue is away: workers find jobs by looking, some seconds later");
    }
    if (before !== null && state.fault === null) log.info("the job queue is back");
  };
  const watching = (async () => {
    for (;;) {
      await pause(everyMs, stopping.signal);
      if (stopping.signal.aborted) return;
      await look();
    }
  })();
  return {
    get fault() {
      return state.fault;
    },
    async stop() {
      stopping.abort();
      await watching;
    },
  };
}

async function faultOf(queue: Pick<JobQueue, "check">): Promise<string | null> {
  const answered = new AbortController();
  const tooLate = delay(PATIENCE_MS, `no answer within ${PATIENCE_MS} ms`, { signal: answered.signal });
  try {
    return await Promise.race([queue.check().then(() => null), tooLate]);
  } catch (error) {
    return error instanceof Error && error.message !== "" ? error.message : "cannot be reached";
  } finally {
    answered.abort();
    await tooLate.catch(() => undefined);
  }
}
