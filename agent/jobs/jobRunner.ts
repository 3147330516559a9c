// Carries out the jobs that the service hands out: each once, however often it is handed out.
import { messageOf } from "../check.js";
import type { Log } from "../log.js";
import type { Platform } from "../platform/platform.js";
import type { Job, JobResult } from "../protocol.js";
import type { ResultLedger } from "../resultLedger.js";
import type { ServerClock } from "../serverClock.js";
import { performerOf } from "./kinds.js";

interface RunnerParts {
  readonly platform: Platform;
  readonly ledger: ResultLedger;
  readonly clock: ServerClock;
  readonly log: Log;
  /** Called whenever a result was recorded. */
  readonly finished: () => void;
}

interface TakenJob {
  readonly job: Job;
  readonly refusal: string | null;
}

const AT_ONCE = 8;
const LONGEST_ERROR = 1_500;
/** For a job whose deadline could not be read. */
const DEFAULT_LIMIT_MS = 60_000;

export class JobRunner {
  readonly #queue: TakenJob[] = [];
  readonly #taken = new Set<string>();
  readonly #running = new Set<Promise<void>>();

  constructor(private readonly parts: RunnerParts) {}

  /** Jobs that have no result yet. */
  get unfinished(): number {
    return this.#taken.size;
  }

  /**
   * Starts new jobs, leaves those under way alone, and answers finished ones from the ledger.
   * @param refusal why new jobs must not be done at all; they then fail with it
   */
  take(jobs: readonly Job[], refusal: string | null = null): void {
    for (const job of jobs) {
      if (this.#taken.has(job.id)) continue;
      if (this.parts.ledger.find(job.id) !== null) {
        this.parts.ledger.reportAgain(job.id);
        continue;
      }
      this.#taken.add(job.id);
      this.#queue.push({ job, refusal });
    }
    this.#startNext();
  }

  /** Starts nothing more and resolves when what is under way has ended. */
  async drain(): Promise<void> {
    for (const { job } of this.#queue.splice(0)) this.#taken.delete(job.id);
    await Promise.all(this.#running);
  }

  #startNext(): void {
    while (this.#running.size < AT_ONCE) {
      const taken = this.#queue.shift();
      if (taken === undefined) return;
      const run = this.#run(taken).finally(() => {
        this.#running.delete(run);
        this.#startNext();
      });
      this.#running.add(run);
    }
  }

  async #run({ job, refusal }: TakenJob): Promise<void> {
    const result = await this.#perform(job, refusal);
    await this.parts.ledger.record(result);
    this.#taken.delete(job.id);
    const { log, finished } = this.parts;
    if (result.error === null) log.info(`job ${job.id} (${job.kind}) is done`);
    else log.warn(`job ${job.id} (${job.kind}) failed: ${result.error}`);
    finished();
  }

  async #perform({ id, kind, payload, deadline }: Job, refusal: string | null): Promise<JobResult> {
    const { clock, platform } = this.parts;
    try {
      if (refusal !== null) throw new Error(refusal);
      const limitMs = deadline === null ? DEFAULT_LIMIT_MS : Math.floor(deadline - clock.now());
      if (limitMs <= 0) throw new Error("the deadline had passed before the agent could start");
      const data = await performerOf(kind)(platform, payload, limitMs);
      return { id, status: "done", error: null, data };
    } catch (error) {
      return { id, status: "failed", error: messageOf(error).slice(0, LONGEST_ERROR), data: {} };
    }
  }
}
