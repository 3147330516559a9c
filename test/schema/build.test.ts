// The schema that is checked in is the schema that the code builds.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { isObjectType } from "graphql";
import { buildDroverSchema, printDroverSchema } from "../../schema/build.js";

describe("the schema", () => {
  it("is checked in as it is built", async () => {
    const checkedIn = await readFile("schema/schema.graphql", "utf8");
    assert.equal(checkedIn, printDroverSchema(), "run `npm run schema` and commit schema/schema.graphql");
  });

  it("describes every type and every field", () => {
    const silent = Object.values(buildDroverSchema().getTypeMap())
      .filter((type) => isObjectType(type) && !type.name.startsWith("__"))
      .filter((type) => !["Query", "Mutation", "Subscription"].includes(type.name))
      .flatMap((type) => {
        const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
        const parts = [type, ...fields];
        return parts.filter(({ description }) => !description).map(({ name }) => `${type.name}.${name}`);
      });
    assert.deepEqual(silent, []);
  });
});
