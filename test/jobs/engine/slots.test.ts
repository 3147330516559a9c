// How a worker fills its slots: never more than it has, with all that is due, and with nothing once it stops.
import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { JobSlots } from "../../../jobs/engine/slots.js";

interface Queue {
  /** Jobs that nobody has claimed yet. */
  due: number;
}

/** Slots for the jobs of a queue; each runs until it is resolved. */
function slotsFor(queue: Queue, count: number, beforeClaim = (): Promise<void> => Promise.resolve()) {
  const stopping = new AbortController();
  const running: PromiseWithResolvers<void>[] = [];
  const slots = new JobSlots<number>({
    count,
    stopping: stopping.signal,
    async claim(most) {
      const claimed = Math.min(most, queue.due);
      queue.due -= claimed;
      await beforeClaim();
      return Array.from({ length: claimed }, (_, job) => job);
    },
    work() {
      const job = Promise.withResolvers<void>();
      running.push(job);
      return job.promise;
    },
  });
  return { slots, running, stop: () => stopping.abort() };
}

describe("jobs/engine/slots", () => {
  it("works on as many jobs at once as it has slots, and on all that are due", async () => {
    const { slots, running } = slotsFor({ due: 5 }, 2);
    const filling = slots.fill();
    for (let ended = 0; ended < 5; ended++) {
      await turn();
      assert.equal(running.length, Math.min(ended + 2, 5));
      running[ended]?.resolve();
    }
    await filling;
    assert.equal(running.length, 5);
  });

  it("claims once more for a wake-up that comes while it claims", async () => {
    const queue = { due: 0 };
    const claiming = Promise.withResolvers<void>();
    const { slots, running } = slotsFor(queue, 2, () => claiming.promise);
    const filling = slots.fill();
    queue.due = 1;
    const woken = slots.fill();
    claiming.resolve();
    await Promise.all([filling, woken]);
    assert.equal(running.length, 1);
  });

  it("claims nothing once the worker stops, also when a slot is free again", async () => {
    const { slots, running, stop } = slotsFor({ due: 5 }, 1);
    const filling = slots.fill();
    await turn();
    stop();
    running[0]?.resolve();
    await filling;
    await slots.fill();
    assert.equal(running.length, 1);
  });

  it("hands on why it could not claim, and claims at the next wake-up", async () => {
    const queue = { due: 1 };
    let failure: Error | null = new Error("the database is away");
    const { slots, running } = slotsFor(queue, 1, () =>
      failure === null ? Promise.resolve() : Promise.reject(failure),
    );
    await assert.rejects(slots.fill(), /away/);
    failure = null;
    queue.due = 1;
    const filling = slots.fill();
    await turn();
    assert.equal(running.length, 1);
    running[0]?.resolve();
    await filling;
  });
});
