// Decides which change of a step's state is legal: a step begins and ends, and is undone once its job has failed.
import { UndoStatus } from "../../src/core/enums.js";
import type { RecordedStep } from "../../src/store/job/claim.js";
import type { StepStatus } from "../../src/store/job/journal.js";

/** Where a step stands; `left behind`: its undo has failed. */
export type StepState = "unbegun" | StepStatus | "undoing" | "undone" | "left behind";

/** What may follow a state. A successor repeats a step, or its undo, that its predecessor was at. */
const NEXT: Readonly<Record<StepState, readonly StepState[]>> = {
  // A brief step is put on record with its end.
  unbegun: ["running", "done", "warned", "failed"],
  // An earlier step that is run again, or is new in this release, may fail the job while this one was interrupted.
  running: ["running", "done", "warned", "failed", "undoing"],
  done: ["undoing"],
  warned: ["undoing"],
  failed: ["undoing"],
  undoing: ["undoing", "undone", "left behind"],
  undone: [],
  "left behind": [],
};

const OF_UNDO: Readonly<Record<UndoStatus, StepState>> = {
  [UndoStatus.RUNNING]: "undoing",
  [UndoStatus.DONE]: "undone",
  [UndoStatus.FAILED]: "left behind",
};

const BACK: ReadonlySet<StepState> = new Set(Object.values(OF_UNDO));

/** The steps of one job, as the journal has them. */
export class StepStates {
  readonly #states = new Map<string, StepState>();
  /** What the undos that have ended left behind, by step; null: nothing. */
  readonly #left = new Map<string, string | null>();

  constructor(recorded: readonly RecordedStep[]) {
    for (const { name, status, undo, left } of recorded) {
      this.#states.set(name, undo === null ? status : OF_UNDO[undo]);
      if (undo !== null && undo !== UndoStatus.RUNNING) this.#left.set(name, left);
    }
  }

  /** Whether the step is done, with or without warnings, and not undone. */
  isDone(step: string): boolean {
    return ["done", "warned"].includes(this.#stateOf(step));
  }

  hasBegun(step: string): boolean {
    return this.#states.has(step);
  }

  /** @returns what the undo of a step left behind, null: nothing; undefined: it has not ended */
  leftBy(step: string): string | null | undefined {
    return this.#left.get(step);
  }

  /** A step begins or ends. @throws Error when that is illegal */
  advance(step: string, status: StepStatus): void {
    if ([...this.#states.values()].some((state) => BACK.has(state)))
      throw new Error(`step ${step} cannot be ${status}: the rollback of its job has begun`);
    this.#change(step, status);
  }

  /** The undo of a step begins, or ends and leaves this behind. @throws Error when that is illegal */
  undo(step: string, status: UndoStatus, left: string | null): void {
    this.#change(step, OF_UNDO[status]);
    if (status !== UndoStatus.RUNNING) this.#left.set(step, left);
  }

  #change(step: string, to: StepState): void {
    const from = this.#stateOf(step);
    if (!NEXT[from].includes(to)) throw new Error(`step ${step} cannot be ${to}: it is ${from}`);
    this.#states.set(step, to);
  }

  #stateOf(step: string): StepState {
    return this.#states.get(step) ?? "unbegun";
  }
}
