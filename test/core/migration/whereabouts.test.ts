// Where a guest is after its transfer, by what both hosts say.
import assert from "node:assert/strict";
import { whereabouts, type Sighting, type Whereabouts } from "../../../src/core/migration/whereabouts.js";

const free: Sighting = { lock: null, running: false };
const running: Sighting = { lock: null, running: true };
const locked = (lock: string, isRunning = false): Sighting => ({ lock, running: isRunning });

type Case = readonly [
  what: string,
  source: Sighting | null,
  target: Sighting | null,
  reportedDone: boolean,
  where: Whereabouts,
];

const cases: readonly Case[] = [
  ["complete on the target, the original locked", locked("migrate"), running, true, "moved"],
  ["complete, although the task reports problems", locked("migrate"), free, false, "moved"],
  ["complete, the original unlocked by somebody meanwhile", free, running, true, "moved"],
  ["nothing on the target", free, null, false, "stayed"],
  ["nothing on the target, the original running on", running, null, false, "stayed"],
  ["a killed offline transfer", free, locked("create"), false, "stayed_with_remains"],
  ["a killed live transfer", running, locked("migrate", true), false, "stayed_with_remains"],
  ["somebody else's guest under the VMID", free, running, false, "unclear"],
  ["both running", running, running, true, "unclear"],
  ["the original gone", null, locked("migrate"), false, "unclear"],
  ["both gone", null, null, true, "unclear"],
];

describe("core/migration/whereabouts", () => {
  for (const [what, source, target, reportedDone, where] of cases) {
    it(`${where}: ${what}`, () => assert.equal(whereabouts({ source, target, reportedDone }), where));
  }
});
