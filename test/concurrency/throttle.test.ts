// Repeated calls are passed on once an interval, and the skipped ones are counted.
import assert from "node:assert/strict";
import { throttle } from "../../src/concurrency/throttle.js";

describe("throttle", () => {
  it("passes on the first call and skips those that follow within the interval", () => {
    const calls: [string, number][] = [];
    const log = throttle<string>(600_000, (text, skipped) => calls.push([text, skipped]));
    for (const text of ["a", "b", "c"]) log(text);
    assert.deepEqual(calls, [["a", 0]]);
  });

  it("reports to the next call how many were skipped", async () => {
    const calls: [string, number][] = [];
    const log = throttle<string>(50, (text, skipped) => calls.push([text, skipped]));
    log("first");
    let attempts = 0;
    while (calls.length < 2) {
      log("repeated");
      attempts++;
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.deepEqual(calls[1], ["repeated", attempts - 1]);
  });

  it("passes on every call when there is no interval", () => {
    const calls: [string, number][] = [];
    const log = throttle<string>(0, (text, skipped) => calls.push([text, skipped]));
    for (const text of ["a", "b"]) log(text);
    assert.deepEqual(calls, [
      ["a", 0],
      ["b", 0],
    ]);
  });
});
