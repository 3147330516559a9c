// Checks when a node is hot and when it is under the thresholds, at the thresholds and on both sides of them.
import assert from "node:assert/strict";
import {
  DEFAULT_THRESHOLDS,
  describeHeat,
  excess,
  isHot,
  isUnder,
  loadOf,
  tooMuch,
} from "../../../src/core/balance/load.js";
import { DEFAULT_MAX_SUGGESTIONS } from "../../../src/core/balance/suggest.js";
import { node } from "../placement/example.js";

const thresholds = { ramPercent: 80, cpuPercent: 85 };

describe("core/balance/load", () => {
  const cases: [ram: number, cpu: number | null, hot: boolean, under: boolean][] = [
    [0.799, 0.849, false, true],
    [0.8, 0.5, false, false],
    [0.801, 0.5, true, false],
    [0.5, 0.85, false, false],
    [0.5, 0.851, true, false],
    [0.5, null, false, true],
    [0.9, null, true, false],
    [0.1 + 0.7, 0.5, false, false],
    [0.5, 0.75 + 0.1, false, false],
  ];
  for (const [ram, cpu, hot, under] of cases) {
    it(`RAM ${ram}, CPU ${cpu} is ${hot ? "hot" : "not hot"} and ${under ? "under" : "not under"}`, () => {
      assert.equal(isHot({ ram, cpu }, thresholds), hot);
      assert.equal(isUnder({ ram, cpu }, thresholds), under);
    });
  }

  for (let limit = 1; limit < 100; limit++) {
    it(`exactly ${limit} % is neither hot nor under`, () => {
      const load = loadOf(node({ memoryMb: 100, memoryUsedMb: limit, cpuAverage: limit / 100 }));
      assert.equal(isHot(load, { ramPercent: limit, cpuPercent: limit }), false);
      assert.equal(isUnder(load, { ramPercent: limit, cpuPercent: limit }), false);
    });
  }

  it("a node without RAM is not loaded", () => {
    assert.deepEqual(loadOf(node({ memoryMb: 0, memoryUsedMb: 0, cpuAverage: null })), { ram: 0, cpu: null });
  });

  it("has thresholds and a length of reports that an operator need not set", () => {
    assert.deepEqual([DEFAULT_THRESHOLDS, DEFAULT_MAX_SUGGESTIONS], [{ ramPercent: 80, cpuPercent: 85 }, 10]);
  });

  it("takes the larger excess", () => {
    assert.ok(Math.abs(excess({ ram: 0.9, cpu: 0.99 }, thresholds) - 0.14) < 1e-12);
    assert.ok(Math.abs(excess({ ram: 0.9, cpu: null }, thresholds) - 0.1) < 1e-12);
  });

  it("is the same for equal distances from either threshold", () => {
    assert.equal(excess({ ram: 0.85, cpu: 0.1 }, thresholds), excess({ ram: 0.1, cpu: 0.9 }, thresholds));
  });

  it("reports what makes a node hot, with the numbers", () => {
    assert.equal(describeHeat({ ram: 0.912, cpu: 0.5 }, thresholds), "RAM 91.2 % is above 80 %");
    assert.equal(
      describeHeat({ ram: 0.912, cpu: 0.9 }, thresholds),
      "RAM 91.2 % is above 80 %, CPU 90 % is above 85 %",
    );
    assert.equal(
      describeHeat({ ram: 0.8001, cpu: 0.850_01 }, thresholds),
      "RAM 80.1 % is above 80 %, CPU 85.1 % is above 85 %",
    );
  });

  it("reports nothing of what is exactly at its threshold, nor of CPU that is not known", () => {
    assert.equal(describeHeat({ ram: 0.8, cpu: 0.85 }, thresholds), "");
    assert.equal(describeHeat({ ram: 0.81, cpu: null }, thresholds), "RAM 81 % is above 80 %");
    assert.equal(describeHeat({ ram: 0.1, cpu: 0.86 }, thresholds), "CPU 86 % is above 85 %");
  });

  it("asks for a little more to go than is above, and for nothing of CPU that is not known", () => {
    const { ram, cpu } = tooMuch({ ram: 0.9, cpu: 0.9 }, thresholds);
    assert.ok(ram > 0.1 && ram < 0.100_001 && cpu > 0.05 && cpu < 0.050_001);
    assert.equal(tooMuch({ ram: 0.9, cpu: null }, thresholds).cpu, -Infinity);
  });
});
