// An executor of all kinds of jobs, on the service's database.
import { jobStore } from "../src/store/jobStore.js";
import { definitionOf } from "./definitions.js";
import type { Executor } from "./engine/executor.js";

type Parts = Pick<Executor, "services" | "worker" | "stopping"> & Partial<Pick<Executor, "observe">>;

/** @param parts what differs from worker to worker */
export const executorOf = (parts: Parts): Executor => ({
  observe: () => undefined,
  ...parts,
  store: jobStore(parts.services.pool),
  definitionOf,
});
