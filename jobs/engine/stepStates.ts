// Decides which change of a step's state is legal: a step begins and ends, and is undone once its job has failed.
import { UndoStatus } from "../../src/core/enums.js";
import type { RecordedStep } from "../../src/store/job/claim.js";
import type { StepStatus } from "../../src/store/job/journal.js";
import { KEPT, type UndoResult } from "./step.js";

/** The state of a step. */
export type StepState = "unbegun" | StepStatus | "undoing" | "undone" | "kept" | "left behind";

/** What may follow a state. A successor repeats a step, or its undo, that its predecessor was at. */
const NEXT: Readonly<Record<StepState, readonly StepState[]>> = {
  // A brief step is put on record with its end.
  unbegun: ["running", "done", "warned", "failed"],
  // An earlier step that is run again, or is new in this release, may fail the job while this one was interrupted.
  running: ["running", "done", "warned", "failed", "undoing"],
  done: ["undoing"],
  warned: ["undoing"],
  failed: ["undoing"],
  undoing: ["undoing", "undone", "kept", "left behind"],
  undone: [],
  kept: [],
  "left behind": [],
};

const OF_UNDO: Readonly<Record<UndoStatus, StepState>> = {
  [UndoStatus.RUNNING]: "undoing",
  [UndoStatus.DONE]: "undone",
  [UndoStatus.KEPT]: "kept",
  [UndoStatus.FAILED]: "left behind",
};

const BACK: ReadonlySet<StepState> = new Set(Object.values(OF_UNDO));

/** The journal of a job does not allow what is to be recorded: this version and what is on record do not fit together. */
export class IllegalChange extends Error {
  override readonly name = "IllegalChange";
}

/** The steps of one job, as the journal has them. */
export class StepStates {
  readonly #states = new Map<string, StepState>();
  /** What undos left behind, by step. */
  readonly #left = new Map<string, string>();

  constructor(recorded: readonly RecordedStep[]) {
    for (const { name, status, undo, left } of recorded) {
      this.#states.set(name, undo === null ? status : OF_UNDO[undo]);
      if (left !== null) this.#left.set(name, left);
    }
  }

  /** Whether the step is done, with or without warnings, and not undone. */
  isDone(step: string): boolean {
    return ["done", "warned"].includes(this.#stateOf(step));
  }

  hasBegun(step: string): boolean {
    return this.#states.has(step);
  }

  /** @returns what the undo of a step has come to; undefined: it has not ended */
  undoneAs(step: string): UndoResult | undefined {
    const state = this.#stateOf(step);
    if (state === "kept") return KEPT;
    return state === "undone" ? null : this.#left.get(step);
  }

  /** A step begins or ends. @throws IllegalChange */
  advance(step: string, status: StepStatus): void {
    if ([...this.#states.values()].some((state) => BACK.has(state)))
      throw new IllegalChange(`step ${step} cannot be ${status}: the rollback of its job has begun`);
    this.#change(step, status);
  }

  /** The undo of a step begins. @throws IllegalChange */
  undoBegins(step: string): void {
    this.#change(step, "undoing");
  }

  /** The undo of a step ends. @throws IllegalChange */
  undoEnded(step: string, result: UndoResult): void {
    this.#change(step, stateAfter(result));
    if (typeof result === "string") this.#left.set(step, result);
  }

  #change(step: string, to: StepState): void {
    const from = this.#stateOf(step);
    if (!NEXT[from].includes(to)) throw new IllegalChange(`step ${step} cannot be ${to}: it is ${from}`);
    this.#states.set(step, to);
  }

  #stateOf(step: string): StepState {
    return this.#states.get(step) ?? "unbegun";
  }
}

function stateAfter(result: UndoResult): StepState {
  if (result === KEPT) return "kept";
  return result === null ? "undone" : "left behind";
}
