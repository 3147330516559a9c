// Asks questions again that stayed without an answer: for jobs, which nobody waits for at the other end of a request.
import { isPlatformError, PlatformReason } from "../platformError.js";
import type { Ask } from "./client.js";
import { pauseUnlessAborted } from "./pause.js";

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4000;

/** Changes are passed on as they are. @throws the signal's reason when it is given up; else the last answer's error */
export function patientAsk(ask: Ask, patienceMs: number, signal: AbortSignal): Ask {
  return async (call) => {
    const deadline = performance.now() + patienceMs;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        return await ask(call);
      } catch (error) {
        signal.throwIfAborted();
        if (call.method !== "GET" || !mayPass(error) || performance.now() + pauseMs > deadline) throw error;
      }
      await pauseUnlessAborted(pauseMs, signal);
    }
  };
}

const mayPass = (error: unknown): boolean => isPlatformError(error, PlatformReason.UNREACHABLE, PlatformReason.FAILED);
