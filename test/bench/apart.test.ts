// A benchmark in a process of its own is ended when it takes too long or is interrupted.
import assert from "node:assert/strict";
import { runApart } from "../../bench/apart/apart.js";
import { placement } from "../../bench/benchmarks/placement.js";
import { USUAL_EFFORT } from "../../bench/frame.js";

const NEVER = new AbortController().signal;

describe("bench/apart", () => {
  it("ends what takes longer than its longest time", async () => {
    const hurried = { ...placement, longestSeconds: 0.001 };
    await assert.rejects(runApart(hurried, USUAL_EFFORT, NEVER), /placement was ended: it took longer than/);
  });

  it("ends what is interrupted", async () => {
    const interrupt = new AbortController();
    const running = runApart(placement, USUAL_EFFORT, interrupt.signal);
    interrupt.abort();
    await assert.rejects(running, /placement was interrupted/);
  });

  it("begins nothing that was interrupted before", async () => {
    const endless = { ...placement, longestSeconds: 1_000_000 };
    await assert.rejects(runApart(endless, USUAL_EFFORT, AbortSignal.abort()), /placement was interrupted/);
  });
});
