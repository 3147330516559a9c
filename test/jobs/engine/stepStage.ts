// Runs jobs of steps that are written down where they are tested, in memory, and notes which of them ran.
import { runJob } from "../../../jobs/engine/executor.js";
import type { Executor } from "../../../jobs/engine/executor.js";
import type { JobDefinition, JobFacts, Step, StepContext } from "../../../jobs/engine/step.js";
import { JobKind } from "../../../src/core/enums.js";
import { DroverError } from "../../../src/errors/errors.js";
import { memoryExecutor, MemoryStore, type MemoryJob } from "./memory.js";

export const REFUSED = new DroverError("platform", "no disk");

/** A step, or a rollback, that fails so. */
export const failing = (error: Error) => async (): Promise<never> => {
  throw error;
};

export const statuses = ({ steps }: MemoryJob): string[] =>
  [...steps.values()].map(({ name, status }) => `${name} ${status}`);

export class StepStage {
  readonly store = new MemoryStore();
  /** Names of the steps that ran, and `undo` with the names of those that were undone. */
  readonly ran: string[] = [];

  readonly step = (
    name: string,
    run: Step<JobFacts>["run"] = () => Promise.resolve({}),
    more: Partial<Step<JobFacts>> = {},
  ): Step<JobFacts> => ({
    name,
    weight: 1,
    ...more,
    run: (context: StepContext) => {
      this.ran.push(name);
      return run(context);
    },
  });

  /** Of steps that can be undone. */
  readonly definition = (steps: readonly Step<JobFacts>[]): JobDefinition => {
    const { ran } = this;
    return {
      kind: JobKind.GUEST_DELETE,
      steps: steps.map((each) => ({
        ...each,
        async undo(context) {
          ran.push(`undo ${each.name}`);
          return (await each.undo?.(context)) ?? null;
        },
      })),
    };
  };

  readonly run = async (
    made: JobDefinition,
    job: MemoryJob = this.store.add(),
    more: Partial<Executor> = {},
  ): Promise<MemoryJob> => {
    await runJob(memoryExecutor(this.store, made, more), job.id);
    return job;
  };
}
