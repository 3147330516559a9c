// The bounds of the simple fields that many inputs have.
import assert from "node:assert/strict";
import { leastProblems, nameProblems } from "../../src/actions/inputProblems.js";

describe("actions/inputProblems", () => {
  const names: readonly (readonly [what: string, name: string, message: string | null])[] = [
    ["1 character", "x", null],
    ["200 characters", "x".repeat(200), null],
    ["200 characters with blanks around them", ` ${"x".repeat(200)} `, null],
    ["201 characters", "x".repeat(201), "must have 1 to 200 characters"],
    ["no character", "", "must have 1 to 200 characters"],
    ["blanks alone", " \t", "must have 1 to 200 characters"],
    ["a line break", "a\nb", "must not contain control characters"],
  ];
  for (const [what, name, message] of names) {
    it(`${message === null ? "takes" : "refuses"} a name of ${what}`, () => {
      assert.deepEqual(nameProblems(name), message === null ? [] : [{ field: "name", message }]);
    });
  }

  it("takes a number from its least value on, and one that is not given", () => {
    for (const value of [2, 3, null, undefined]) assert.deepEqual(leastProblems("cores", value, 2), []);
    assert.deepEqual(leastProblems("cores", 1, 2), [{ field: "cores", message: "must be at least 2" }]);
  });
});
