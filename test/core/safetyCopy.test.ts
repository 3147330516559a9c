// Checks tag and dates of safety copies.
import assert from "node:assert/strict";
import { deletionTime, isBrand, isDue, safetyCopyTag, withSafetyCopyTag } from "../../src/core/safetyCopy.js";

describe("core/safetyCopy", () => {
  it("is tagged by brand, once, beside its other tags", () => {
    assert.equal(safetyCopyTag("Drover"), "drover-migrated");
    assert.deepEqual(withSafetyCopyTag(["web"], "drover"), ["web", "drover-migrated"]);
    assert.deepEqual(withSafetyCopyTag(["drover-migrated"], "drover"), ["drover-migrated"]);
  });
  for (const [brand, good] of [
    ["drover", true],
    ["my.cloud-1", true],
    ["", false],
    ["my cloud", false],
    ["-x", false],
  ] as const) {
    it(`${JSON.stringify(brand)} is ${good ? "a" : "no"} brand`, () => assert.equal(isBrand(brand), good));
  }
  it("is due from its date on, and never without one", () => {
    const day = 86_400_000;
    const deleteAt = deletionTime(1_000, 7);
    assert.equal(deleteAt, 1_000 + 7 * day);
    assert.equal(isDue(deleteAt, deleteAt - 1), false);
    assert.equal(isDue(deleteAt, deleteAt), true);
    assert.equal(isDue(null, Number.MAX_SAFE_INTEGER), false);
  });
});
