// Starts an agent in this process; several may run side by side, each with its own configuration.
import { promises as fs } from "node:fs";
import { Alarm } from "./alarm.js";
import type { AgentConfig } from "./config.js";
import { keepBeating } from "./heartbeats.js";
import { HttpClient } from "./http.js";
import { JobRunner } from "./jobs/jobRunner.js";
import type { Log } from "./log.js";
import { createLog } from "./log.js";
import { createControlPlatform } from "./platform/control.js";
import type { Platform } from "./platform/platform.js";
import { createNodePlatform } from "./platform/proxmox.js";
import { ResultLedger } from "./resultLedger.js";
import { ServerClock } from "./serverClock.js";
import { Service } from "./service.js";

export interface RunningAgent {
  /** Sends no more heartbeats; resolves when the jobs under way have ended (their results are kept for the next start). */
  stop(): Promise<void>;
}

interface AgentOptions {
  /** Default: standard output. */
  readonly log?: Log;
  /** Instead of the platform that the configuration names. */
  readonly platform?: Platform;
}

/** Starts the agent of one node. Throws when the CA file or the state directory cannot be used. */
export async function startAgent(config: AgentConfig, options: AgentOptions = {}): Promise<RunningAgent> {
  const { log = createLog() } = options;
  const platform = options.platform ?? createPlatform(config);
  const client = await createServiceClient(config);
  const ledger = await ResultLedger.open(config.stateDirectory);
  const alarm = new Alarm();
  const clock = new ServerClock();
  const service = new Service({ config, client, clock });
  const runner = new JobRunner({ platform, ledger, clock, log, finished: () => alarm.ring() });
  const ended = keepBeating({ config, platform, service, ledger, runner, alarm, log });
  return {
    stop: async () => {
      alarm.stop();
      client.close();
      await ended;
      await runner.drain();
      platform.close();
    },
  };
}

/** The client that trusts what the configuration says. */
export async function createServiceClient(config: AgentConfig): Promise<HttpClient> {
  const ca = config.ca === undefined ? undefined : await fs.readFile(config.ca, "utf8");
  return new HttpClient({ ca, fingerprint: config.fingerprint });
}

/** The platform that the configuration names. */
export function createPlatform(config: AgentConfig): Platform {
  const { control, node, publicAddress, stateDirectory } = config;
  if (config.platform === "proxmox") return createNodePlatform({ publicAddress, stateDirectory });
  if (control === undefined) throw new Error('control is missing (platform is "control")');
  return createControlPlatform({ control, node, publicAddress });
}
