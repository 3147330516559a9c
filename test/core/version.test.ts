// Checks the order of version numbers.
import assert from "node:assert/strict";
import { compareVersions, isAtLeast } from "../../src/core/version.js";

describe("core/version", () => {
  const ordered = ["7.2", "7.2-10", "7.3", "7.4-16", "8.0", "8.2.4", "8.2.5", "8.4.5", "8.10", "9.0~beta1", "9.2.11"];
  for (const [index, newer] of ordered.entries()) {
    for (const older of ordered.slice(0, index)) {
      it(`${older} is older than ${newer}`, () => {
        assert.ok(compareVersions(older, newer) < 0);
        assert.ok(compareVersions(newer, older) > 0);
      });
    }
  }

  it("counts missing parts as 0", () => assert.equal(compareVersions("9", "9.0.0"), 0));
  for (const [version, minimum, expected] of [
    ["7.2", "7.3", false],
    ["7.3", "7.3", true],
    ["7.3-1", "7.3", true],
    [null, "7.3", false],
    ["unknown", "0", false],
  ] as const) {
    it(`${version} is ${expected ? "" : "not "}at least ${minimum}`, () => {
      assert.equal(isAtLeast(version, minimum), expected);
    });
  }
});
