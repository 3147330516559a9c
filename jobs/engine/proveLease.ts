// Proves the lease by a write: right before what only the holder of the job may do, and what the platform does not fence.

/** A write that took longer may be older than the lease that it proved. */
const LONGEST_WRITE_MS = 5_000;

/** Repeats a fenced write until it has proved the lease a moment ago: a process that was halted meanwhile may have lost it. @throws Fenced */
export async function proveLease<Result>(write: () => Promise<Result>): Promise<Result> {
  for (;;) {
    const beginMs = performance.now();
    const result = await write();
    if (performance.now() - beginMs <= LONGEST_WRITE_MS) return result;
  }
}
