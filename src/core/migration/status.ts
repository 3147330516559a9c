// Computes where a migration stands from the journal of its steps: no step decides the status.
import { MigrationStatus, MigrationStep } from "../enums.js";

/** How one step ended; a step that runs, or that a killed worker left, has no outcome yet. */
export const StepOutcome = {
  DONE: "done",
  /** Failed, but the move goes on: only steps after the transfer may. */
  WARNING: "warning",
  FAILED: "failed",
} as const;
export type StepOutcome = (typeof StepOutcome)[keyof typeof StepOutcome];

/** The journal's row of a step. */
export interface StepRecord {
  readonly step: MigrationStep;
  /** Null: started and not ended. */
  readonly outcome: StepOutcome | null;
}

/** The steps in the order in which they run. */
export const STEPS_IN_ORDER: readonly MigrationStep[] = Object.values(MigrationStep);

/** Steps whose failure ends the migration as done with warnings, because the guest is on the target already. */
export const WARNING_STEPS: readonly MigrationStep[] = [
  MigrationStep.IP_PLAN,
  MigrationStep.PORT_FORWARDS,
  MigrationStep.RECORDS,
];

/** @param isWorking whether a worker holds the lease, or the platform's task lives: nothing else counts as running. */
export function migrationStatus(journal: readonly StepRecord[], isWorking: boolean): MigrationStatus {
  if (hasOutcome(journal, StepOutcome.FAILED)) return MigrationStatus.FAILED;
  if (isEnded(journal, MigrationStep.FINISHED)) {
    return hasOutcome(journal, StepOutcome.WARNING) ? MigrationStatus.DONE_WITH_WARNINGS : MigrationStatus.DONE;
  }
  return isWorking ? MigrationStatus.RUNNING : MigrationStatus.QUEUED;
}

/** @returns whether the guest is on the target: from here on nothing there is ever deleted, nor copied again. */
export const isTransferDone = (journal: readonly StepRecord[]): boolean => isEnded(journal, MigrationStep.TRANSFER);

/** @returns the steps that a start, a resumption or a retry still has to run: those that the journal lacks. */
export function stepsToRun(journal: readonly StepRecord[]): MigrationStep[] {
  const from = isTransferDone(journal) ? STEPS_IN_ORDER.indexOf(MigrationStep.TRANSFER) + 1 : 0;
  return STEPS_IN_ORDER.slice(from).filter((step) => !isEnded(journal, step));
}

/** @returns the step that the migration is at: the first that has not ended; the last when all have. */
export const currentStep = (journal: readonly StepRecord[]): MigrationStep =>
  stepsToRun(journal)[0] ?? MigrationStep.FINISHED;

const isEnded = (journal: readonly StepRecord[], wanted: MigrationStep): boolean =>
  journal.some(
    ({ step, outcome }) => step === wanted && (outcome === StepOutcome.DONE || outcome === StepOutcome.WARNING),
  );

const hasOutcome = (journal: readonly StepRecord[], wanted: StepOutcome): boolean =>
  journal.some(({ outcome }) => outcome === wanted);
