// Checks tag and dates of safety copies.
import assert from "node:assert/strict";
import { deletionTime, isBrand, safetyCopyTag, withSafetyCopyTag } from "../../src/core/safetyCopy.js";

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
  it("is kept for whole days", () => {
    const day = 86_400_000;
    assert.equal(deletionTime(1_000, 7), 1_000 + 7 * day);
  });
});
