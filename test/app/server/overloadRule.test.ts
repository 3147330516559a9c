// When a process counts as overloaded: late by its own work, with many requests that wait for it.
import assert from "node:assert/strict";
import { OverloadRule, type Sample } from "../../../app/server/overloadRule.js";

const LIMIT = 100;
/** Of an overworked process that many ask. */
const busy = (delayMs: number): Sample => ({ delayMs, cpuShare: 1, requests: 300 });
const LATE = busy(101);
const STARVED: Sample = { ...LATE, delayMs: 5_000, cpuShare: 0.2 };
const ONE_CALLER: Sample = { ...LATE, delayMs: 5_000, requests: 1 };

const times = (count: number, sample: Sample): Sample[] => Array.from({ length: count }, () => sample);

function afterSamples(...samples: readonly Sample[]): boolean {
  const rule = new OverloadRule(LIMIT);
  for (const sample of samples) rule.add(sample);
  return rule.isTooHigh;
}

describe("server/overloadRule", () => {
  const cases: readonly (readonly [what: string, samples: readonly Sample[], isTooHigh: boolean])[] = [
    ["is not overload after one late sample", [LATE], false],
    ["is not overload after late samples that are apart", [101, 0, 101, 100, 101].map(busy), false],
    ["is overload after two late samples in a row", [LATE, LATE], true],
    ["is not late exactly at the limit", times(3, busy(100)), false],
    ["stays overload for nine punctual samples", [LATE, LATE, ...times(9, busy(0))], true],
    ["ends after ten punctual samples", [LATE, LATE, ...times(10, busy(50))], false],
    [
      "counts from one again after a sample above half of the limit",
      [LATE, LATE, ...times(9, busy(0)), busy(51), ...times(9, busy(0))],
      true,
    ],
    ["needs two late samples again after it has ended", [LATE, LATE, ...times(10, busy(0)), LATE], false],
    ["is overload again after these two", [LATE, LATE, ...times(10, busy(0)), LATE, LATE], true],

    ["is not overload while neighbours keep the process from its work", times(50, STARVED), false],
    ["is overload from a quarter of a processor on", times(2, { ...LATE, cpuShare: 0.25 }), true],
    ["is not overload with less than a quarter of a processor", times(50, { ...LATE, cpuShare: 0.24 }), false],
    ["is overload with several processors", times(2, { ...LATE, cpuShare: 3.5 }), true],
    ["is not overload with a single caller, however late", times(50, ONE_CALLER), false],
    ["is overload from 32 requests on", times(2, { ...LATE, requests: 32 }), true],
    ["is not overload with 31 requests", times(50, { ...LATE, requests: 31 }), false],
    ["is not overload by many requests that are served in time", times(50, { ...busy(20), requests: 5_000 }), false],
    [
      "is not overload after one long turn of the process itself, with many that waited for it",
      [busy(8_000), ...times(5, busy(90))],
      false,
    ],
    ["is not overload when one late sample is the neighbours'", [LATE, STARVED, LATE], false],
    ["is not overload when one late sample is a single caller's", [LATE, ONE_CALLER, LATE], false],

    ["stays overload while the process is late with many, however long", times(500, LATE), true],
    ["ends when it is late by its neighbours only", [LATE, LATE, ...times(10, STARVED)], false],
    ["ends when few ask any longer, late or not", [LATE, LATE, ...times(10, ONE_CALLER)], false],
    [
      "ends after a second without it, whatever the reason",
      [LATE, LATE, ...times(4, STARVED), ...times(3, ONE_CALLER), ...times(3, busy(0))],
      false,
    ],
    ["stays overload when it is late again within that second", [LATE, LATE, ...times(9, STARVED), LATE], true],
  ];
  for (const [what, samples, isTooHigh] of cases) {
    it(what, () => assert.equal(afterSamples(...samples), isTooHigh));
  }

  it("returns true only for a sample that changes the state", () => {
    const rule = new OverloadRule(LIMIT);
    assert.deepEqual(
      [LATE, LATE, LATE, ...times(10, busy(0)), busy(0)].map((sample) => rule.add(sample)),
      [false, true, false, ...times(9, LATE).map(() => false), true, false],
    );
  });
});
