// An executor of all kinds of jobs, on the service's database.
import { systemStopwatch } from "../src/concurrency/stopwatch.js";
import { jobStore } from "../src/store/jobStore.js";
import { definitionOf } from "./definitions.js";
import type { Executor } from "./engine/executor.js";

type Parts = Pick<Executor, "services" | "worker"> & Partial<Pick<Executor, "observe" | "stopwatch">>;

/** @param parts what differs from worker to worker */
export const executorOf = <Given extends Parts>(parts: Given) => ({
  observe: (): void => undefined,
  store: jobStore(parts.services.pool),
  definitionOf,
  stopwatch: systemStopwatch,
  ...parts,
});
