// Checks that every enum value is its GraphQL name in lower case, so that both APIs and the database agree.
import assert from "node:assert/strict";
import * as exported from "../../src/core/enums.js";

const { MIGRATION_STEPS, ...enums } = exported;

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

  it("has one migration step for each entry of their table", () => {
    assert.deepEqual(Object.keys(enums.MigrationStep), Object.keys(MIGRATION_STEPS));
  });
});
