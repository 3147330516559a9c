// Turns signals into an orderly stop: the first one drains, a later one or a drain that takes too long exits at once.
import type { Logger } from "../../src/observability/log.js";

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
const HARD_LIMIT_MS = 30_000;
/** Signals within this are one wish: a terminal sends Ctrl-C to all its processes, and npm passes it on once more. */
const ONE_WISH_MS = 1_000;

/**
 * Calls `stop` at the first signal and exits with 0 when it is done. One that comes a second later or more exits with 1 at once.
 * @returns aborts at the first signal: for whatever waits while the service starts
 */
export function stopOnSignals(log: Logger, stop: () => Promise<void>): AbortSignal {
  const stopping = new AbortController();
  let begunAt = 0;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping.signal.aborted) {
      if (performance.now() - begunAt < ONE_WISH_MS) return;
      log.warn({ signal }, "a second signal: exiting at once");
      process.exit(1);
    }
    begunAt = performance.now();
    log.info({ signal }, "stopping");
    stopping.abort(new Error(`stopped by ${signal}`));
    setTimeout(() => {
      log.error({ limitMs: HARD_LIMIT_MS }, "stopping takes too long: exiting");
      process.exit(1);
    }, HARD_LIMIT_MS).unref();
    void stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, "stopping failed");
        process.exit(1);
      },
    );
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return stopping.signal;
}
