// Checks that the id of a suggestion names its move, and that nothing else is taken for one.
import assert from "node:assert/strict";
import { readSuggestionId, suggestionId } from "../../../src/core/balance/suggestionId.js";

const MOVE = { guestId: 42, fromHostId: 1, fromNode: "pve1", toHostId: 2, toNode: "pve-7" };

describe("core/balance/suggestionId", () => {
  it("names guest, source and target", () => {
    assert.equal(suggestionId(MOVE), "42.1.pve1.2.pve-7");
    assert.deepEqual(readSuggestionId("42.1.pve1.2.pve-7"), MOVE);
  });

  for (const id of [
    "",
    "42",
    "42.1.pve1.2",
    "42.1.pve1.2.",
    "42.1.pve1.2.pve-7.",
    "42.1.pve1.2.pve-7.1",
    "x.1.pve1.2.pve-7",
    "42.x.pve1.2.pve-7",
    "42.1.pve1.x.pve-7",
    "0.1.pve1.2.pve-7",
    "42.1..2.pve-7",
    "42.1.pve 1.2.pve-7",
    "42.1.pve1.2.pve_7",
  ]) {
    it(`takes "${id}" for none`, () => assert.equal(readSuggestionId(id), null));
  }
});
