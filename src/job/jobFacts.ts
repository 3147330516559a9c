// What every job remembers, besides the findings of its kind.
import { z } from "zod";

/**
 * `failure`, `undoing` and `waiting` are read by SQL too, in every version: their names and meanings stay as they are. A fact that
 * may be missing is added here, or to the facts of a kind, as optional: that needs no new version.
 */
export const jobFacts = z.object({
  /** Effects on the platform that were about to be made; recorded first, so that the next worker looks before it repeats one. */
  begun: z.array(z.string()).readonly().optional(),
  /** Ids of platform tasks by effect, recorded as soon as the platform returned them. */
  tasks: z.record(z.string(), z.string()).readonly().optional(),
  /** When an effect that must not be made twice was last requested, by the machine's time, ISO 8601: it may start late. */
  orderedAt: z.string().optional(),
  /** Effects that were ordered again because the first answer was lost, with when that was, ISO 8601. */
  orderedAgain: z.record(z.string(), z.string()).readonly().optional(),
  /** Why the job fails; once it is set, only `undo` runs. */
  failure: z.string().optional(),
  /** What the rollback is doing, in words for people. */
  undoing: z.string().optional(),
});

export type JobFacts = Readonly<z.infer<typeof jobFacts>>;
