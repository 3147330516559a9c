// Serves queues with slots for jobs: fills them when an entry of the queue arrives and, for lost entries, at intervals.
import { setTimeout as delay } from "node:timers/promises";
import type { Claim } from "../../src/store/job/claim.js";
import { kindsThatWake, type JobQueue, type QueueName } from "../queue/queue.js";
import { runClaimed, type Executor } from "./executor.js";
import { claimDue } from "./lease.js";
import { JobSlots } from "./slots.js";

/** Jobs of one process at once; each waits for its host most of the time. Runs do nothing but wait for their moves. */
const SLOTS: Readonly<Record<QueueName, number>> = { "run-job": 32, "run-migration": 8, "run-moves": 64 };

interface Limits {
  /** A job that is due again after so many attempts is left to the next worker. */
  readonly mostAttempts?: number;
}

export class Serving {
  readonly #executor: Executor;
  readonly #mostAttempts: number;
  readonly #slots: ReadonlyMap<QueueName, JobSlots<Claim>>;
  readonly #running = new Set<Promise<void>>();
  /** Attempts by job, while they are limited. */
  readonly #attempts = new Map<number, number>();

  constructor(executor: Executor, queues: readonly QueueName[], { mostAttempts = Infinity }: Limits = {}) {
    this.#executor = executor;
    this.#mostAttempts = mostAttempts;
    this.#slots = new Map(queues.map((name) => [name, this.#slotsOf(name)]));
  }

  /** Takes the entries of the queues, and looks for due jobs at intervals, until `stopping`. @returns the looking */
  async start(queue: Pick<JobQueue, "serve">, stopping: AbortSignal): Promise<() => Promise<void>> {
    const failed = (error: unknown): void =>
      this.#executor.services.log.warn({ err: error }, "claiming due jobs failed");
    for (const [name, slots] of this.#slots) await queue.serve(name, () => slots.fill().catch(failed));
    const looking = [...this.#slots.values()].map((slots) => slots.fillUntil(stopping, failed));
    return async () => void (await Promise.all(looking));
  }

  /** Resolves when nothing is due and no job is at work, or the worker stops. @returns how many jobs it worked on @throws what claiming throws */
  async untilIdle(): Promise<number> {
    const slots = [...this.#slots.values()];
    for (let isIdle = false; !isIdle && !this.#executor.stopping.aborted;) {
      const attempts = this.#attemptsSoFar;
      await Promise.all(slots.map((each) => each.fill()));
      if (slots.some((each) => !each.isIdle)) await Promise.race(slots.map((each) => each.nextEnd()));
      else isIdle = attempts === this.#attemptsSoFar;
    }
    return this.#attempts.size;
  }

  /** Resolves when all jobs have ended, or the time is up. */
  async ended(milliseconds?: number): Promise<void> {
    const ended = Promise.all(this.#running);
    await (milliseconds === undefined ? ended : Promise.race([ended, delay(milliseconds, undefined, { ref: false })]));
  }

  get #attemptsSoFar(): number {
    return [...this.#attempts.values()].reduce((sum, attempts) => sum + attempts, 0);
  }

  #slotsOf(name: QueueName): JobSlots<Claim> {
    const kinds = kindsThatWake(name);
    return new JobSlots({
      count: SLOTS[name],
      claim: (most) => claimDue(this.#executor, { kinds, most, except: this.#exhausted() }),
      work: (job) => this.#work(job),
      stopping: this.#executor.stopping,
    });
  }

  #exhausted(): number[] {
    return [...this.#attempts].flatMap(([id, attempts]) => (attempts >= this.#mostAttempts ? [id] : []));
  }

  async #work(job: Claim): Promise<void> {
    if (this.#mostAttempts !== Infinity) this.#attempts.set(job.id, (this.#attempts.get(job.id) ?? 0) + 1);
    const running = runClaimed(this.#executor, job).catch((error: unknown) =>
      this.#executor.services.log.error({ err: error, jobId: job.id }, "a job could not be run"),
    );
    this.#running.add(running);
    await running.finally(() => this.#running.delete(running));
  }
}
