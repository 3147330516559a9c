// `drover worker`: works beside the service, permanently as a service of the role `worker` does or, for a scheduler, once.
import { Command, Option } from "commander";
import { workOnce } from "../../jobs/worker.js";
import { WORK_QUEUES, type WorkQueue } from "../../src/core/workQueue.js";
import { reachDatabase } from "../../src/db/reach.js";
import type { Logger } from "../../src/observability/log.js";
import { createLogger } from "../../src/observability/log.js";
import { observeJob } from "../../src/observability/metrics.js";
import { openServices } from "../server/services.js";
import { startStandingWork } from "../server/standingWork.js";
import { stopOnSignals } from "../server/signals.js";
import { Teardown } from "../server/teardown.js";
import { warnOfUnknownVariables } from "../../src/config/unknownVariables.js";
import { commandConfig } from "./commandConfig.js";
import { print } from "./print.js";

const PATIENCE_MS = 10_000;

interface Options {
  readonly queue?: WorkQueue;
  readonly once?: boolean;
}

export function workerCommand(): Command {
  return new Command("worker")
    .description(
      "do queued work, and what a service of the role worker does beside it; it uses the service's environment",
    )
    .addOption(
      new Option(
        "--queue <name>",
        "only this queue: migrations has moves and their runs; the worker of jobs also reads the hosts",
      ).choices(WORK_QUEUES),
    )
    .option("--once", "work off what is queued, then end: for a scheduled job")
    .action(work);
}

async function work({ queue, once = false }: Options): Promise<void> {
  const config = await commandConfig(process.env);
  const log = createLogger(config.logLevel, "worker", "error");
  warnOfUnknownVariables(process.env, log);
  const teardown = new Teardown(log);
  const stopping = stopOnSignals(log, () => teardown.run());
  try {
    const reached = await reachDatabase(config, "borrow", { log, signal: stopping, patienceMs: PATIENCE_MS });
    teardown.add("server", "embedded PostgreSQL", () => reached.stop());
    const opened = await openServices({ config, log, reached, teardown, signal: stopping });
    const queues = queue === undefined ? WORK_QUEUES : [queue];
    if (once) await workUntilIdle(opened, { queues, stopping, log, teardown });
    else await workOn(opened, { queues, stopping, log, teardown });
  } finally {
    await teardown.run();
  }
}

interface Shift {
  readonly queues: readonly WorkQueue[];
  readonly stopping: AbortSignal;
  readonly log: Logger;
  readonly teardown: Teardown;
}

type Opened = Awaited<ReturnType<typeof openServices>>;

async function workUntilIdle({ work: services, queue }: Opened, { queues, stopping, teardown }: Shift): Promise<void> {
  const working = workOnce(services, queue, { queues, stopping, observe: observeJob });
  // A signal lets the work be handed on before the rest is closed; the result is reported below.
  teardown.add("workers", "worker", async () => void (await Promise.allSettled([working])));
  print(`Worked on ${await working} jobs.`);
}

/** Until a signal comes. */
async function workOn({ work: services, queue }: Opened, { queues, stopping, log, teardown }: Shift): Promise<void> {
  await startStandingWork({ services, queue, queues, teardown });
  log.info({ queues }, "the worker is ready");
  if (!stopping.aborted) await new Promise((resolve) => stopping.addEventListener("abort", resolve));
}
