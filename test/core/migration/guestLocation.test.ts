// Where a guest is after its transfer, by what both hosts say.
import assert from "node:assert/strict";
import type { LockCause } from "../../../src/core/inventory/lock.js";
import {
  locationAfterTransfer,
  type Activity,
  type Sighting,
  type GuestLocation,
} from "../../../src/core/migration/guestLocation.js";

const free: Sighting = { lock: null, activity: "stopped" };
const running: Sighting = { lock: null, activity: "running" };
const locked = (lock: LockCause, activity: Activity = "stopped"): Sighting => ({ lock, activity });

type Case = readonly [
  what: string,
  source: Sighting | null,
  target: Sighting | null,
  reportedDone: boolean,
  where: GuestLocation,
];

const cases: readonly Case[] = [
  ["complete on the target, the original locked", locked("move"), running, true, "moved"],
  ["complete, although the task reports problems", locked("move"), free, false, "moved"],
  ["complete, the original unlocked by somebody meanwhile", free, running, true, "moved"],
  ["complete, the original removed by somebody meanwhile", null, free, true, "moved"],
  ["nothing on the target", free, null, false, "stayed"],
  ["nothing on the target, the original running on", running, null, false, "stayed"],
  ["a killed offline transfer", free, locked("creation"), false, "stayed_with_remains"],
  ["a killed live transfer", running, locked("move", "arriving"), false, "stayed_with_remains"],
  [
    "a source that lost power in a live transfer",
    locked("move"),
    locked("move", "arriving"),
    false,
    "stayed_with_remains",
  ],
  [
    "gone on at the target, the source dead before it unlocked it",
    locked("move"),
    locked("move", "running"),
    false,
    "moved",
  ],
  ["gone on at the target, the original not ended", locked("move", "left"), locked("move", "running"), false, "moved"],
  ["all sent, and not told to go on", locked("move"), locked("move", "paused"), false, "unclear"],
  ["gone on at both ends", running, locked("move", "running"), false, "unclear"],
  ["somebody else's guest under the VMID", free, running, false, "unclear"],
  ["both running", running, running, true, "unclear"],
  ["the original gone", null, locked("move"), false, "unclear"],
  ["the original gone, the transfer ended badly", null, free, false, "unclear"],
  ["the original gone, although the transfer is reported done", null, locked("creation"), true, "unclear"],
  ["both gone", null, null, true, "unclear"],
];

describe("core/migration/guestLocation", () => {
  for (const [what, source, target, reportedDone, where] of cases) {
    it(`${where}: ${what}`, () => assert.equal(locationAfterTransfer({ source, target, reportedDone }), where));
  }
});
