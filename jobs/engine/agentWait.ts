// Reports that a job waits for the agent of a node, when the answer takes long.
import type { StepContext } from "./step.js";

/** An agent that listens answers at once. */
const WORTH_TELLING_MS = 1000;

interface AgentWait {
  /** What the agent has not done yet, in words for people: "the agent of pve1 has not …". */
  readonly reason: string;
  /** For so long its answer is waited for. */
  readonly timeoutMs: number;
}

/** Waits for the agent's work, and reports the wait when it takes long. */
export async function awaitAgent<Result>(
  { waiting, stopwatch }: Pick<StepContext, "waiting" | "stopwatch">,
  { reason, timeoutMs }: AgentWait,
  work: () => Promise<Result>,
): Promise<Result> {
  const cancel = stopwatch.after(WORTH_TELLING_MS, () => waiting.waits(reason, timeoutMs - WORTH_TELLING_MS));
  try {
    return await work();
  } finally {
    cancel();
    waiting.goesOn();
  }
}
