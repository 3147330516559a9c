// Reports what a job waits for; waits that end within a second are not reported.
import type { Stopwatch } from "../../src/concurrency/stopwatch.js";
import type { WaitObserver } from "../../src/hypervisor/hypervisor.js";
import type { Logger } from "../../src/observability/log.js";
import type { Waiting } from "../../src/store/job/journal.js";
import { Fenced } from "./step.js";

const WORTH_TELLING_MS = 1000;

interface LastingWait {
  readonly hostId: number | null;
  readonly since: number;
  readonly told: boolean;
}

/** The waits of one job. They are written in the background: informational only. */
export class Waits implements WaitObserver {
  readonly #write: (waiting: Waiting | null) => Promise<void>;
  readonly #log: Logger;
  readonly #stopwatch: Pick<Stopwatch, "milliseconds">;
  #held: LastingWait | null = null;
  #unwritten: Waiting | null | undefined;
  #writing: Promise<void> | null = null;

  /** @param write null: the job goes on */
  constructor(
    write: (waiting: Waiting | null) => Promise<void>,
    { log, stopwatch }: { readonly log: Logger; readonly stopwatch: Pick<Stopwatch, "milliseconds"> },
  ) {
    this.#write = write;
    this.#log = log;
    this.#stopwatch = stopwatch;
  }

  /** Observes one host: answers of another host do not end its wait. */
  forHost(hostId: number): WaitObserver {
    return {
      waits: (reason, pauseMs) => this.#wait(reason, pauseMs, hostId),
      goesOn: () => {
        if (this.#held?.hostId === hostId) this.goesOn();
      },
    };
  }

  /** What is tried again as a whole waits for the host that one of its questions waited for. */
  waits(reason: string, pauseMs: number): void {
    this.#wait(reason, pauseMs, this.#held?.hostId ?? null);
  }

  goesOn(): void {
    if (this.#held?.told === true) this.#tell(null);
    this.#held = null;
  }

  /** Resolves when nothing is being written any longer. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  #wait(reason: string, pauseMs: number, hostId: number | null): void {
    const now = this.#stopwatch.milliseconds();
    const { since, told } = this.#held?.hostId === hostId ? this.#held : { since: now, told: false };
    const isWorthTelling = pauseMs >= WORTH_TELLING_MS;
    this.#held = { hostId, since, told: told || isWorthTelling };
    if (isWorthTelling) this.#tell({ hostId, reason, sinceMsAgo: now - since, againInMs: pauseMs });
  }

  #tell(waiting: Waiting | null): void {
    this.#unwritten = waiting;
    this.#writing ??= this.#writeAll();
  }

  /** One at a time, and of those that came meanwhile the last. */
  async #writeAll(): Promise<void> {
    while (this.#unwritten !== undefined) {
      const waiting = this.#unwritten;
      this.#unwritten = undefined;
      try {
        await this.#write(waiting);
      } catch (error) {
        // The worker that has the job now records what it waits for.
        if (!(error instanceof Fenced)) this.#log.warn({ err: error }, "a wait of a job could not be recorded");
      }
    }
    this.#writing = null;
  }
}
