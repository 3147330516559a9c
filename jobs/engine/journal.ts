// Records what a job has done: its steps and their undo, findings and end. Every write is fenced by the lease, so that a stalled
// worker writes nothing, and a step has no state that cannot follow the one before.
import type { Pool, PoolClient } from "pg";
import { UndoStatus } from "../../src/core/enums.js";
import { inTransaction } from "../../src/db/transaction.js";
import { holdJob, type Lease } from "../../src/store/job/lease.js";
import type { JournalEntry, StepStatus, Waiting } from "../../src/store/job/journal.js";
import type { UndoNote } from "../../src/store/job/undo.js";
import type { JobStore } from "../../src/store/jobStore.js";
import { Fenced, KEPT, type ClaimedJob, type JobFacts, type UndoResult } from "./step.js";
import { StepStates } from "./stepStates.js";

/** What is known of one step. */
export interface StepNote {
  readonly name: string;
  readonly position: number;
  readonly status: StepStatus;
  /** What later steps need to know; it becomes a part of the job's facts. */
  readonly output?: Partial<JobFacts>;
  readonly error?: string;
}

/** One entry; what is left out stays as it is. */
export interface Entry {
  readonly steps?: readonly StepNote[];
  readonly findings?: Partial<JobFacts>;
  /** The step that the job is at. */
  readonly step?: string;
  /** How far the whole job is, 0..1. */
  readonly progress?: number;
}

/** The journal of one claimed job. A step's end waits for the next entry, and is written with it, in one statement. */
export class Journal {
  readonly #store: JobStore;
  readonly #lease: Lease;
  readonly #steps: StepStates;
  #ended: StepNote[] = [];
  #reached: number | undefined;

  constructor(store: JobStore, { id, leaseEpoch, steps }: Pick<ClaimedJob, "id" | "leaseEpoch" | "steps">) {
    this.#store = store;
    this.#lease = { id, leaseEpoch };
    this.#steps = new StepStates(steps);
  }

  /** What is on record of the steps, with what waits for the next entry. */
  get steps(): Pick<StepStates, "isDone" | "hasBegun" | "undoneAs"> {
    return this.#steps;
  }

  /**
   * Notes that a step has ended, and how far the job is then, with the next entry: until then a successor repeats it.
   * @throws IllegalChange
   */
  stepEnded(note: StepNote, progress: number): void {
    this.#steps.advance(note.name, note.status);
    this.#ended.push(note);
    this.#reached = progress;
  }

  /** Writes an entry, and what waits for it. @throws Fenced @throws IllegalChange */
  async write(entry: Entry = {}): Promise<void> {
    const { step = null, progress = this.#reached ?? null, steps = [] } = entry;
    for (const { name, status } of steps) this.#steps.advance(name, status);
    this.#require(await this.#store.write(this.#lease, { ...this.#gather(entry), step, progress }));
    this.#forget();
  }

  /** Records that the undo of a step begins: until its end is on record, a successor repeats it. @throws Fenced @throws IllegalChange */
  async undoBegins(step: string): Promise<void> {
    this.#steps.undoBegins(step);
    this.#require(await this.#store.writeUndo(this.#lease, { step, status: UndoStatus.RUNNING, error: null }));
  }

  /** Records the end of the undo of a step. @throws Fenced @throws IllegalChange when it has not begun */
  async undoEnded(step: string, result: UndoResult): Promise<void> {
    this.#steps.undoEnded(step, result);
    this.#require(await this.#store.writeUndo(this.#lease, { step, ...endOf(result) }));
  }

  /** Records a platform task's id, in the facts and in the list that clients see. @throws Fenced */
  async writeTask(effect: string, upid: string): Promise<void> {
    this.#require(await this.#store.writeTask(this.#lease, effect, upid));
  }

  /** Records what the job waits for; null: it goes on. @throws Fenced */
  async writeWaiting(waiting: Waiting | null): Promise<void> {
    this.#require(await this.#store.writeWaiting(this.#lease, waiting));
  }

  /**
   * Ends the job and releases all that it held: a crash leaves either all of it or nothing.
   * @param error why it failed; null: it is done. @throws Fenced
   */
  async end(error: string | null): Promise<void> {
    this.#require(await this.#store.end(this.#lease, { ...this.#gather({}), error, progress: this.#reached ?? null }));
    this.#forget();
  }

  #gather({ steps = [], findings = {} }: Entry): Pick<JournalEntry, "steps" | "facts"> {
    const notes = [...this.#ended, ...steps];
    const facts = notes.reduce((found, { output }) => ({ ...found, ...output }), {});
    return { steps: notes, facts: { ...facts, ...findings } };
  }

  #forget(): void {
    this.#ended = [];
    this.#reached = undefined;
  }

  #require(isHeld: boolean): void {
    if (!isHeld) throw lost(this.#lease);
  }
}

function endOf(result: UndoResult): Pick<UndoNote, "status" | "error"> {
  if (result === KEPT) return { status: UndoStatus.KEPT, error: null };
  return result === null ? { status: UndoStatus.DONE, error: null } : { status: UndoStatus.FAILED, error: result };
}

/** Does `work` in one transaction, if the lease is still held. @throws Fenced */
export function inFencedTransaction<Result>(
  pool: Pool,
  lease: Lease,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  return inTransaction(pool, async (client) => {
    if (!(await holdJob(client, lease))) throw lost(lease);
    return work(client);
  });
}

/** What is thrown in a worker whose lease went to another. */
export const lost = ({ id, leaseEpoch }: Lease): Fenced =>
  new Fenced(`job ${id} is no longer held under lease ${leaseEpoch}`);
