// What only the holder of a job may do comes right after a write that has proved it: a write that took long is repeated.
import assert from "node:assert/strict";
import { proveLease } from "../../../jobs/engine/proveLease.js";
import { Fenced } from "../../../jobs/engine/step.js";

/** Writes that take so long each, by a stopwatch that nothing else moves. */
function writesThatTake(milliseconds: readonly number[]) {
  let now = 0;
  let written = 0;
  const write = async (): Promise<number> => {
    now += milliseconds[written] ?? assert.fail("one write too many");
    return ++written;
  };
  return { stopwatch: { milliseconds: () => now }, write };
}

describe("jobs/engine/proveLease", () => {
  it("goes on after a write that took five seconds", async () => {
    const { stopwatch, write } = writesThatTake([5_000]);
    assert.equal(await proveLease(stopwatch, write), 1);
  });

  it("repeats a write that took longer, until one has not, and returns what that one did", async () => {
    const { stopwatch, write } = writesThatTake([5_001, 60_000, 5_000]);
    assert.equal(await proveLease(stopwatch, write), 3);
  });

  it("fails with the write: the job is another worker's", async () => {
    const refused = proveLease({ milliseconds: () => 0 }, () => Promise.reject(new Fenced("lost")));
    await assert.rejects(refused, Fenced);
  });
});
