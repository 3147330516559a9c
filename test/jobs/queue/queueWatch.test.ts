// The watch over the job queue: one line when it goes away and one when it is back, however often it is looked at.
import assert from "node:assert/strict";
import { watchQueue } from "../../../jobs/queue/queueWatch.js";
import { keptLog } from "../../support/log.js";
import { until } from "../../support/until.js";

const EVERY_MS = 1;

describe("jobs/queue/queueWatch", () => {
  it("reports once that the queue is away, with the reason, and once that it is back", async () => {
    const { log, lines } = keptLog();
    let looks = 0;
    let fault: Error | null = null;
    const check = (): Promise<void> => {
      looks++;
      return fault === null ? Promise.resolve() : Promise.reject(fault);
    };
    const watch = watchQueue({ check }, log, EVERY_MS);
    /** A look that has begun by now is over by the third from now on. */
    const lookSeveralTimes = async (): Promise<void> => {
      const before = looks;
      await until("it was looked at again and again", () => looks > before + 2);
    };
    const away = "warn: the job queue is away: workers find jobs by looking, some seconds later";
    await lookSeveralTimes();
    assert.deepEqual([watch.fault, lines], [null, []]);
    fault = new Error("the storage is full");
    await lookSeveralTimes();
    assert.deepEqual([watch.fault, lines], ["the storage is full", [away]]);
    fault = null;
    await lookSeveralTimes();
    assert.deepEqual([watch.fault, lines], [null, [away, "info: the job queue is back"]]);
    await watch.stop();
  });
});
