// Keeps the process id of the embedded PostgreSQL in demo.json right: the service starts its server again when it has died.
import { setTimeout as delay } from "node:timers/promises";
import { embeddedServerPid } from "../src/db/embedded.js";
import { createLogger } from "../src/observability/log.js";
import type { DemoFiles } from "./files.js";

const LOOK_MS = 300;

/** Publishes it now, and whenever it changes until `ended`. A server that is down keeps its last one. */
export async function followDatabasePid(files: DemoFiles, ended: AbortSignal): Promise<void> {
  const log = createLogger("error", "demo");
  let known = await embeddedServerPid(files.directory, log);
  await publish(files, known);
  void follow();

  async function follow(): Promise<void> {
    for (await pause(); !ended.aborted; await pause()) {
      const present = await embeddedServerPid(files.directory, log);
      if (present === null || present === known) continue;
      known = present;
      await publish(files, known);
    }
  }

  async function pause(): Promise<void> {
    await delay(LOOK_MS, undefined, { signal: ended, ref: false }).catch((error: unknown) => {
      if (!ended.aborted) throw error;
    });
  }
}

async function publish(files: DemoFiles, database: number | null): Promise<void> {
  await files.change(({ pids }) => ({ pids: { ...pids, database } }));
  await files.publish();
}
