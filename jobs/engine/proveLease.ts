// Proves the lease by a write: right before what only the holder of the job may do, and what the platform does not fence.
import type { Stopwatch } from "../../src/concurrency/stopwatch.js";

/** A write that took longer may be older than the lease that it proved. */
const LONGEST_WRITE_MS = 5_000;

/** Repeats a fenced write until it has proved the lease a moment ago: a process that was halted meanwhile may have lost it. @throws Fenced */
export async function proveLease<Result>(
  stopwatch: Pick<Stopwatch, "milliseconds">,
  write: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    const beginMs = stopwatch.milliseconds();
    const result = await write();
    if (stopwatch.milliseconds() - beginMs <= LONGEST_WRITE_MS) return result;
  }
}
