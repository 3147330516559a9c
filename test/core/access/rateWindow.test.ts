// Checks clock-minute windows and the count in them.
import assert from "node:assert/strict";
import { rateWindow, remainingInWindow } from "../../../src/core/access/rateWindow.js";

describe("core/access/rateWindow", () => {
  const start = Date.UTC(2026, 4, 1, 12, 30, 0);
  for (const [after, minutes, seconds] of [
    [0, 0, 60],
    [1, 0, 60],
    [1_000, 0, 59],
    [30_500, 0, 30],
    [59_000, 0, 1],
    [59_999, 0, 1],
    [60_000, 1, 60],
  ] as const) {
    it(`${after} ms into a minute the next window opens in ${seconds} s`, () => {
      assert.deepEqual(rateWindow(start + after), { minute: start / 60_000 + minutes, secondsToNext: seconds });
    });
  }

  for (const [limit, admitted, remaining] of [
    [null, 1_000_000, null],
    [0, 1_000_000, null],
    [3, 0, 3],
    [3, 2, 1],
    [3, 3, 0],
    [3, 4, 0],
  ] as const) {
    it(`limit ${limit} leaves ${remaining} after ${admitted} requests`, () => {
      assert.equal(remainingInWindow({ limit, admitted }), remaining);
    });
  }
});
