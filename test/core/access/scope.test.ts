// Checks which hosts a scope holds.
import assert from "node:assert/strict";
import { EVERY_HOST, isInScope, scopeOf } from "../../../src/core/access/scope.js";

describe("core/access/scope", () => {
  it("takes blank as every host", () => {
    for (const scope of [scopeOf([]), scopeOf(null), scopeOf(undefined)]) assert.equal(scope, EVERY_HOST);
    assert.equal(isInScope(EVERY_HOST, 42), true);
  });

  it("keeps each host once, in order", () => assert.deepEqual(scopeOf([3, 1, 3]), [1, 3]));

  it("holds the listed hosts only", () => {
    assert.equal(isInScope([1, 3], 3), true);
    assert.equal(isInScope([1, 3], 2), false);
  });
});
