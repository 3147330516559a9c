// Which passwords people may choose.
import assert from "node:assert/strict";
import { passwordProblems } from "../../../src/core/access/passwordRules.js";

const OWNER = { username: "Annabella.Smith", email: "ann@example.com" };
const COMMON = new Set(["1234567890", "password123"]);

const problemsOf = (password: string) =>
  passwordProblems(password, OWNER, { field: "new", isCommon: (lowerCase) => COMMON.has(lowerCase) });

describe("core/passwordRules", () => {
  const good = [
    "correct horse",
    "0123456789",
    "ten letter",
    "🐴🐴🐴🐴🐴🐴🐴🐴🐴🐴",
    "x".repeat(200),
    "Annabella.Smith1",
  ];
  for (const password of good) it(`accepts ${password.slice(0, 20)}`, () => assert.deepEqual(problemsOf(password), []));

  const refused: readonly (readonly [password: string, message: RegExp])[] = [
    ["", /at least 10/],
    ["nine char", /at least 10/],
    // Ten code units, five characters.
    ["🐴🐴🐴🐴🐴", /at least 10/],
    ["e\u0301".repeat(9), /at least 10/],
    ["x".repeat(201), /at most 200/],
    ["x".repeat(1_000_000), /at most 200/],
    ["annabella.SMITH", /user name or the e-mail/],
    ["ANN@example.com", /user name or the e-mail/],
    ["1234567890", /most used/],
    ["PassWord123", /most used/],
  ];
  for (const [password, message] of refused) {
    it(`refuses ${JSON.stringify(password.slice(0, 20))}`, () => {
      const problems = problemsOf(password);
      assert.equal(problems.length, 1);
      assert.equal(problems[0]?.field, "new");
      assert.match(problems[0]?.message ?? "", message);
    });
  }
});
