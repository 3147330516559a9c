// Lets time pass between two requests as it passed for the recorder, only faster.
import { setTimeout as wait } from "node:timers/promises";
import type { TaskEvidence } from "./evidence.js";
import { collectEvidence, showsEnd } from "./evidence.js";
import type { Exchange } from "./recording.js";

/** How much faster simulated work runs while the replay waits; during a burst of requests it runs as in life. */
const hurry = 40;
/** Pauses below this many milliseconds are the recorder's own overhead. */
const shortestPauseMs = 60;
/** Answers that took longer than this had work behind them. */
const slowAnswerMs = 400;
const patienceMs = 20_000;

/** What the pace needs of the replayed hosts. */
export interface Hosts {
  setTimeFactor(factor: number): void;
  /** True when the task that this exchange started has ended; also when it was never started here. */
  hasEnded(startedBy: Exchange): boolean;
  /** True when the task that this exchange's path names has ended. */
  namedTaskHasEnded(exchange: Exchange): boolean;
}

/** The pace of one run. */
export class Pace {
  readonly #evidence: Map<string, TaskEvidence>;

  constructor(
    private readonly exchanges: readonly Exchange[],
    private readonly hosts: Hosts,
  ) {
    this.#evidence = collectEvidence(exchanges);
  }

  /** Waits for what the recorder waited for before this exchange. */
  async before(index: number): Promise<void> {
    const exchange = this.exchanges[index];
    if (exchange === undefined) return;
    const pause = this.#pauseBefore(index);
    this.hosts.setTimeFactor(hurry);
    if (pause >= shortestPauseMs) await this.#letTimePass(index, pause);
    if (showsEnd(exchange) === true) await until(() => this.hosts.namedTaskHasEnded(exchange), patienceMs);
    this.hosts.setTimeFactor(exchange.took_ms > slowAnswerMs ? hurry : 1);
  }

  #pauseBefore(index: number): number {
    const [previous, exchange] = [this.exchanges[index - 1], this.exchanges[index]];
    if (previous === undefined || exchange === undefined) return 0;
    return Math.max(0, exchange.at_ms - previous.at_ms - previous.took_ms);
  }

  /** Tasks that were seen ended are waited for; those nobody looked at get three times the pause. */
  async #letTimePass(index: number, pause: number): Promise<void> {
    const open = [...this.#evidence].filter(([, task]) => task.startedAt < index && task.runningUntil < index);
    const hasEnded = (id: string): boolean => this.#ended(id);
    const seen = open.filter(([, task]) => task.endedFrom <= index).map(([id]) => id);
    const unseen = open.filter(([, task]) => task.endedFrom > index).map(([id]) => id);
    await until(() => seen.every(hasEnded), patienceMs);
    await Promise.all([wait(pause / hurry), until(() => unseen.every(hasEnded), (3 * pause) / hurry + 10)]);
  }

  #ended(startedBy: string): boolean {
    const exchange = this.exchanges.find(({ id }) => id === startedBy);
    return exchange === undefined || this.hosts.hasEnded(exchange);
  }
}

async function until(condition: () => boolean, limitMs: number): Promise<void> {
  const end = performance.now() + limitMs;
  while (!condition() && performance.now() < end) await wait(2);
}
