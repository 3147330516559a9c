// Checks what a list request's `page` and `perPage` come to.
import assert from "node:assert/strict";
import { readPage } from "../../src/core/paging.js";
import { describeProblems } from "../../src/core/problem.js";

describe("core/paging", () => {
  const understood = [
    { request: {}, page: 1, perPage: 50, offset: 0 },
    { request: { page: null, perPage: undefined }, page: 1, perPage: 50, offset: 0 },
    { request: { page: "3", perPage: "20" }, page: 3, perPage: 20, offset: 40 },
    { request: { page: 2, perPage: 1 }, page: 2, perPage: 1, offset: 1 },
    { request: { perPage: 199 }, page: 1, perPage: 199, offset: 0 },
    { request: { perPage: 200 }, page: 1, perPage: 200, offset: 0 },
    { request: { page: 2, perPage: 201 }, page: 2, perPage: 200, offset: 200 },
    { request: { perPage: "99999999999" }, page: 1, perPage: 200, offset: 0 },
    { request: { page: 2_147_483_647, perPage: 200 }, page: 2_147_483_647, perPage: 200, offset: 429_496_729_200 },
  ];
  for (const { request, ...expected } of understood) {
    it(`understands ${JSON.stringify(request)}`, () => {
      assert.deepEqual(readPage(request), { ok: true, value: { ...expected, limit: expected.perPage } });
    });
  }

  for (const bad of [0, -1, 1.5, "0", "-1", "1.5", "1e2", "", " 1", "one", true, [1], Number.NaN, 2_147_483_648]) {
    it(`refuses page ${JSON.stringify(bad)}, naming the field`, () => {
      const read = readPage({ page: bad });
      assert.equal(read.ok ? "" : describeProblems(read.problems), "page must be a positive integer");
    });
  }

  it("names both fields when both are wrong", () => {
    const read = readPage({ page: "x", perPage: 0 });
    assert.deepEqual(read.ok ? [] : read.problems.map(({ field }) => field), ["page", "perPage"]);
  });
});
