// Checks that every enum value is its GraphQL name in lower case, so that both doors and the database agree.
import assert from "node:assert/strict";
import * as enums from "../../src/core/enums.js";

describe("core/enums", () => {
  for (const [name, values] of Object.entries(enums)) {
    it(`${name} holds its own keys in lower case`, () => {
      const keys = Object.keys(values);
      assert.ok(keys.length > 0);
      assert.deepEqual(
        Object.values(values),
        keys.map((key) => key.toLowerCase()),
      );
    });
  }
});
