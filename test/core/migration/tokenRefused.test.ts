// How long a target's refusal of a temporary token speaks against further moves, and how its age is said.
import assert from "node:assert/strict";
import { ofSeverity } from "../../../src/core/migration/check.js";
import { preflight } from "../../../src/core/migration/preflight.js";
import { NOW } from "../placement/example.js";
import { facts, REFUSAL, refusedSince, rights } from "./plainMove.js";

const problemsAt = (ageMs: number): string[] =>
  ofSeverity(preflight({ ...facts, ...rights({ tokenRefusal: { ...REFUSAL, at: NOW - ageMs } }) }), "blocking").map(
    ({ message }) => message,
  );

const MINUTE = 60_000;

describe("core/migration: a refused temporary token", () => {
  const blocking: [ageMs: number, age: string][] = [
    [0, "less than a minute"],
    [MINUTE - 1, "less than a minute"],
    [MINUTE, "1 minute"],
    [2 * MINUTE - 1, "1 minute"],
    [2 * MINUTE, "2 minutes"],
    [10 * MINUTE - 1, "9 minutes"],
    [1 - 10 * MINUTE, "less than a minute"],
  ];
  for (const [ageMs, age] of blocking) {
    it(`blocks moves ${ageMs} ms later, as one of ${age} ago`, () =>
      assert.deepEqual(problemsAt(ageMs), [refusedSince(age)]));
  }

  it("blocks none after ten minutes, nor when it is as far ahead of a clock that was set back", () => {
    assert.deepEqual(problemsAt(10 * MINUTE), []);
    assert.deepEqual(problemsAt(-10 * MINUTE), []);
  });
});
