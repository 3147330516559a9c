// Checks the tag of safety copies.
import assert from "node:assert/strict";
import { isBrand, safetyCopyTag, withSafetyCopyTag } from "../../src/core/safetyCopy.js";

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
});
