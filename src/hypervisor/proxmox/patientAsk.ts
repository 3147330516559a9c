// Repeats questions that got no answer: for jobs, where nobody waits at the other end of a request. The time allowed counts from the first
// failure, which no library does: a question itself may take as long.
import { pauseUnlessAborted } from "../../concurrency/pause.js";
import type { Stopwatch } from "../../concurrency/stopwatch.js";
import type { DroverError } from "../../errors/errors.js";
import type { WaitObserver } from "../hypervisor.js";
import { isPlatformError, PlatformReason } from "../platformError.js";
import type { ApiCall, Ask } from "./client.js";

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4000;

interface Patience {
  /** So long a question is asked again. */
  readonly patienceMs: number;
  readonly stopwatch: Stopwatch;
  /** Ends it. */
  readonly signal: AbortSignal;
  readonly observer: WaitObserver | undefined;
}

/** Changes are sent again only when nobody was let in to make them, or no task could be started for them. @throws the signal's reason when it is given up; else the last answer's error */
export function patientAsk(ask: Ask, { patienceMs, stopwatch, signal, observer }: Patience): Ask {
  return async (call) => {
    // A host that was silent for as long as a question may take is asked again too.
    let deadline = Number.POSITIVE_INFINITY;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        const answer = await ask(call);
        observer?.goesOn();
        return answer;
      } catch (error) {
        signal.throwIfAborted();
        deadline = Math.min(deadline, stopwatch.milliseconds() + patienceMs);
        if (!mayPass(error, call) || stopwatch.milliseconds() + pauseMs > deadline) throw error;
        observer?.waits(error.message, pauseMs);
      }
      await pauseUnlessAborted({ stopwatch, signal }, pauseMs);
    }
  };
}

const { AUTHENTICATION, FAILED, NOT_STARTED, UNINTELLIGIBLE, UNREACHABLE } = PlatformReason;

/** While its access control restarts, a host knows no credential; a proxy in front of it may answer with a page of its own. */
const mayPass = (error: unknown, { method, reservesFirst = false }: ApiCall): error is DroverError =>
  isPlatformError(error, AUTHENTICATION) ||
  (!reservesFirst && isPlatformError(error, NOT_STARTED)) ||
  (method === "GET" && isPlatformError(error, UNREACHABLE, FAILED, UNINTELLIGIBLE));
