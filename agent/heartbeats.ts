// Sends heartbeats: observes the node, reports, takes jobs, and backs off while the service cannot be reached.
import type { Alarm } from "./alarm.js";
import { backOffMs } from "./backOff.js";
import { messageOf } from "./check.js";
import type { AgentConfig } from "./config.js";
import type { JobRunner } from "./jobs/jobRunner.js";
import type { Log } from "./log.js";
import { toHeartbeat } from "./heartbeat.js";
import { pauseMs, waitSeconds } from "./pace.js";
import type { Platform } from "./platform/platform.js";
import type { Heartbeat, Reply } from "./protocol.js";
import type { ResultLedger } from "./resultLedger.js";
import { HeartbeatError } from "./service.js";
import type { Service } from "./service.js";
import { AGENT_VERSION } from "./version.js";

interface AgentParts {
  readonly config: AgentConfig;
  readonly platform: Platform;
  readonly service: Service;
  readonly ledger: ResultLedger;
  readonly runner: JobRunner;
  readonly alarm: Alarm;
  readonly log: Log;
}

/** How often a simulated node that is off is looked at again. */
const NODE_OFF_MS = 3_000;

/** Beats until the alarm is stopped; a failure only makes the next heartbeat later. */
export async function keepBeating(parts: AgentParts): Promise<void> {
  const { alarm, log } = parts;
  const heart = new Heart(parts);
  let failures = 0;
  while (!alarm.stopped) {
    try {
      const pause = await heart.beat();
      if (failures > 0) log.info("the service answers again");
      failures = 0;
      await alarm.sleep(pause);
    } catch (error) {
      if (alarm.stopped) return;
      failures += 1;
      const asked = error instanceof HeartbeatError ? error.retryAfterMs : 0;
      const pause = Math.max(asked, backOffMs(failures));
      log.warn(`heartbeat failed: ${messageOf(error)}; next attempt in ${Math.ceil(pause / 1000)} s`);
      await alarm.sleep(pause, "deep");
    }
  }
}

class Heart {
  #reply: Reply | null = null;
  #announced = "";

  constructor(private readonly parts: AgentParts) {}

  /** Sends one heartbeat, starts the jobs of its answer, and returns the milliseconds until the next is due. */
  async beat(): Promise<number> {
    const { platform, ledger, runner } = this.parts;
    const startedAt = Date.now();
    const observation = await platform.observe();
    if (observation === null) return this.#sayOff();
    const results = ledger.takeUnreported();
    const busy = results.length > 0 || runner.unfinished > 0;
    const wait = waitSeconds(busy ? null : this.#reply);
    const problems = [...observation.problems, ...this.#ownProblems()];
    const reply = await this.#send(toHeartbeat(observation, problems, results), wait);
    this.#reply = reply;
    this.#sayState(reply, problems);
    runner.take(reply.jobs, this.#strangerProblem());
    const waiting = ledger.waiting();
    const elapsedMs = Math.max(0, Date.now() - startedAt);
    return pauseMs({ reply, wasHeld: wait > 0, running: runner.unfinished, waiting, elapsedMs });
  }

  /** Sends the heartbeat and settles the results in it. */
  async #send(heartbeat: Heartbeat, wait: number): Promise<Reply> {
    const { service, ledger, log } = this.parts;
    const { results } = heartbeat;
    try {
      const reply = await service.beat(heartbeat, wait);
      await ledger.acknowledge(results);
      return reply;
    } catch (error) {
      // Results that the service cannot read must not block all heartbeats. Whoever still wants one asks again.
      if (error instanceof HeartbeatError && error.status === 422 && results.length > 0) {
        log.error(`results are not sent again unasked: ${results.map(({ id }) => id).join(", ")}`);
        await ledger.acknowledge(results);
      }
      throw error;
    }
  }

  #ownProblems(): string[] {
    return [this.#strangerProblem(), this.parts.ledger.problem].filter((problem) => problem !== null);
  }

  /** With another node's token the agent would unlock guests that merely have the same VMID: it does no job at all. */
  #strangerProblem(): string | null {
    const { node } = this.parts.config;
    const named = this.#reply?.node ?? node;
    return named === node ? null : `the token is that of node ${named}, this is ${node}`;
  }

  #sayState({ node, requiredVersion }: Reply, problems: readonly string[]): void {
    const required = requiredVersion === null ? "" : `, requires agent ${requiredVersion} (this is ${AGENT_VERSION})`;
    const health = problems.length === 0 ? "healthy" : `problems: ${problems.join("; ")}`;
    this.#announce(problems.length === 0 ? "info" : "warn", `known as node ${node ?? "?"}${required}; ${health}`);
  }

  #sayOff(): number {
    this.#announce("warn", `node ${this.parts.config.node} is off: no heartbeat`);
    return NODE_OFF_MS;
  }

  /** Logs what changed since the last heartbeat, not every heartbeat. */
  #announce(level: "info" | "warn", state: string): void {
    if (state !== this.#announced) this.parts.log[level](state);
    this.#announced = state;
  }
}
