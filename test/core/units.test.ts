// Sizes and shares as people read them: units, decimals, and the direction in which each is rounded.
import assert from "node:assert/strict";
import { GIB, gib, gibNeeded, mib, percent, percentAbove, seconds, share } from "../../src/core/units.js";

const CASES: readonly (readonly [string, string])[] = [
  [mib(2048.9), "2048 MiB"],
  [mib(-0.5), "0 MiB"],
  [gib(20 * GIB), "20 GiB"],
  [gib(120.59 * GIB), "120.5 GiB"],
  [gib(-GIB), "0 GiB"],
  [gibNeeded(1), "0.1 GiB"],
  [gibNeeded(20.01 * GIB), "20.1 GiB"],
  [seconds(180.2), "181 s"],
  [share(0), "0.000"],
  [share(0.0005), "0.001"],
  [share(0.8125), "0.813"],
  [share(1), "1.000"],
  [share(-0.0004), "0.000"],
  [percent(0.31), "31 %"],
  [percent(0.8049), "80.5 %"],
  [percent(1.2), "120 %"],
  [percent(-0.0001), "0 %"],
  [percent(-0.005), "-0.5 %"],
  [percentAbove(0.8, 80), "80.1 %"],
];

describe("core/units", () => {
  for (const [text, expected] of CASES) it(`writes ${expected}`, () => assert.equal(text, expected));
});
