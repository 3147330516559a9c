// What is repeated is said now and then.
import assert from "node:assert/strict";
import { seldom } from "../src/seldom.js";

describe("seldom", () => {
  it("says the first at once, passes over what follows, and counts it", () => {
    const said: [string, number][] = [];
    const often = seldom<string>(600_000, (text, more) => said.push([text, more]));
    for (const text of ["a", "b", "c"]) often(text);
    assert.deepEqual(said, [["a", 0]]);
    const always = seldom<string>(0, (text, more) => said.push([text, more]));
    for (const text of ["d", "e"]) always(text);
    assert.deepEqual(said.slice(1), [
      ["d", 0],
      ["e", 0],
    ]);
  });
});
