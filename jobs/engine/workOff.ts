// Works on what is due in one queue until nothing is, then returns: for workers that a scheduler starts.
import { JobKind } from "../../src/core/enums.js";
import { kindsOf, type WorkQueue } from "../../src/core/workQueue.js";
import type { Claim } from "../../src/store/jobLease.js";
import { runClaimed, type Executor } from "./executor.js";
import { claimDue } from "./lease.js";
import { keepRegistered, register } from "./registration.js";

const AT_ONCE = 8;
const RUNS_AT_ONCE = 64;
/** A job that stays due after so many attempts is left to the next worker. */
const MOST_ATTEMPTS = 3;

/** @returns how many jobs it worked on, when none is due any longer or the executor stops */
export async function workOff(executor: Executor, queue: WorkQueue): Promise<number> {
  const { services, worker: name, stopping } = executor;
  const ended = new AbortController();
  const registration = { name, queues: [queue], duties: [] };
  await register(services, registration);
  const registered = keepRegistered(AbortSignal.any([stopping, ended.signal]), services, registration);
  try {
    return await new Shift(executor, queue).work();
  } finally {
    ended.abort();
    await registered;
    // It stays on record with the time of its end: until the next one comes, its queue does not count as served by nobody.
    await register(services, registration);
  }
}

/** One shift of a worker: what it works on, and what it has tried. */
class Shift {
  readonly #working = new Map<number, Claim & { readonly ended: Promise<void> }>();
  readonly #attempts = new Map<number, number>();
  #news = Promise.withResolvers<void>();

  constructor(
    private readonly executor: Executor,
    private readonly queue: WorkQueue,
  ) {}

  async work(): Promise<number> {
    const { services, stopping } = this.executor;
    const hear = (): void => this.#news.resolve();
    const listening = [services.events.on("job", hear), services.events.on("gap", hear)];
    stopping.addEventListener("abort", hear);
    try {
      while (!stopping.aborted) {
        this.#news = Promise.withResolvers<void>();
        for (const job of await this.#due()) this.#begin(job);
        if (this.#working.size === 0) break;
        await this.#news.promise;
      }
      return this.#attempts.size;
    } finally {
      await Promise.all([...this.#working.values()].map(({ ended }) => ended));
      for (const end of listening) end();
      stopping.removeEventListener("abort", hear);
    }
  }

  /** Runs wait for the moves that they start, so they do not count against the limit of jobs at once. */
  async #due(): Promise<Claim[]> {
    const kinds = kindsOf(this.queue);
    const room = AT_ONCE - [...this.#working.values()].filter(({ kind }) => takesRoom(kind)).length;
    const runs = kinds.filter((kind) => !takesRoom(kind));
    return [
      ...(runs.length === 0 ? [] : await this.#dueOf(runs, RUNS_AT_ONCE)),
      ...(room <= 0 ? [] : await this.#dueOf(kinds.filter(takesRoom), room)),
    ];
  }

  #dueOf(kinds: readonly JobKind[], most: number): Promise<Claim[]> {
    const left = [...this.#attempts].flatMap(([id, attempts]) => (attempts >= MOST_ATTEMPTS ? [id] : []));
    return claimDue(this.executor, { kinds, most, except: [...this.#working.keys(), ...left] });
  }

  #begin(job: Claim): void {
    this.#attempts.set(job.id, (this.#attempts.get(job.id) ?? 0) + 1);
    const ended = this.#run(job);
    this.#working.set(job.id, { ...job, ended });
  }

  async #run(job: Claim): Promise<void> {
    try {
      await runClaimed(this.executor, job);
    } catch (error) {
      this.executor.services.log.error({ err: error, jobId: job.id }, "a job could not be run");
    } finally {
      this.#working.delete(job.id);
      this.#news.resolve();
    }
  }
}

const takesRoom = (kind: JobKind): boolean => kind !== JobKind.EVACUATION && kind !== JobKind.BALANCE_RUN;
