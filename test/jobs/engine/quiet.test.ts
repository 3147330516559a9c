// Waiting for a guest on which nothing works any longer: by looks at its tasks, no longer than the caller's patience.
import assert from "node:assert/strict";
import { awaitQuiet } from "../../../jobs/engine/quiet.js";
import type { TaskStatus } from "../../../src/hypervisor/task.js";
import { LeapingTime } from "../../support/handTime.js";
import { AT_WORK } from "./endedTasks.js";

const PATIENCE_MS = 1_000;

describe("jobs/engine/quiet", () => {
  let stopwatch: LeapingTime;
  let asked: unknown[];
  beforeEach(() => {
    stopwatch = new LeapingTime(PATIENCE_MS);
    asked = [];
  });

  /** @param tasks how many tasks are at work at each look; none at those that follow */
  const quiet = (tasks: readonly number[], signal = new AbortController().signal): Promise<boolean> => {
    const activeTasks = async (node: string, vmid: number): Promise<readonly TaskStatus[]> => {
      asked.push([node, vmid]);
      return Array.from({ length: tasks[asked.length - 1] ?? 0 }, () => AT_WORK);
    };
    const guest = { node: "pve1", vmid: 100 };
    return awaitQuiet({ stopwatch, signal }, { hypervisor: { activeTasks }, guest }, PATIENCE_MS);
  };

  it("is there at once where no task is at work on the guest", async () => {
    assert.equal(await quiet([]), true);
    assert.deepEqual([asked, stopwatch.pauses], [[["pve1", 100]], []]);
  });

  it("is there with the first look that finds no task, a quarter of a second after the last", async () => {
    assert.equal(await quiet([2, 1, 0, 1]), true);
    assert.deepEqual([asked.length, stopwatch.pauses], [3, [250, 250]]);
  });

  it("is not there while a task is at work when the patience is over; the look at its very end still counts", async () => {
    assert.equal(await quiet([1, 1, 1, 1, 0]), true);
    asked = [];
    assert.equal(await quiet([1, 1, 1, 1, 1, 1]), false);
    assert.equal(asked.length, 6);
  });

  it("is no longer waited for when the signal aborts", async () => {
    await assert.rejects(quiet([1, 1], AbortSignal.abort(new Error("the worker stops"))), /the worker stops/);
    assert.equal(asked.length, 1);
  });
});
