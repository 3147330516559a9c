// Stops the parts of a service in a fixed order, whatever fails on the way.
import type { Logger } from "../../src/observability/log.js";

/** The order in which parts end: ingress, workers, deferred writes, then what all of them use. */
const ORDER = ["ingress", "workers", "writes", "events", "queue", "platform", "database", "server"] as const;
type Stage = (typeof ORDER)[number];

interface Step {
  readonly name: string;
  readonly end: () => Promise<void> | void;
}

/** Collects how parts are ended while they are started, so that a start that fails half-way leaves nothing behind. */
export class Teardown {
  readonly #log: Logger;
  readonly #stages = new Map<Stage, Step[]>();
  #run: Promise<void> | null = null;

  constructor(log: Logger) {
    this.#log = log;
  }

  add(stage: Stage, name: string, end: () => Promise<void> | void): void {
    this.#stages.set(stage, [...(this.#stages.get(stage) ?? []), { name, end }]);
  }

  /** Ends everything; parts of one stage at the same time. Never fails: what could not be ended is logged. */
  run(): Promise<void> {
    this.#run ??= this.#runStages();
    return this.#run;
  }

  async #runStages(): Promise<void> {
    for (const stage of ORDER) {
      const steps = this.#stages.get(stage) ?? [];
      await Promise.all(steps.map((step) => this.#endOne(step)));
    }
  }

  async #endOne({ name, end }: Step): Promise<void> {
    const begin = performance.now();
    try {
      await end();
      this.#log.debug({ part: name, ms: Math.round(performance.now() - begin) }, "ended");
    } catch (error) {
      this.#log.error({ err: error, part: name }, "a part could not be ended cleanly");
    }
  }
}
