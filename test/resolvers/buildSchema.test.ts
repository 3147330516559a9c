// The schema that is checked in is the schema that the code builds.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { isEnumType, isObjectType } from "graphql";
import { buildDroverSchema, printDroverSchema } from "../../resolvers/buildSchema.js";

describe("the schema", () => {
  it("is checked in as it is built", async () => {
    const checkedIn = await readFile("schema/schema.graphql", "utf8");
    assert.equal(checkedIn, printDroverSchema(), "run `npm run schema` and commit schema/schema.graphql");
  });

  it("describes every type, every field and every value of an enum", () => {
    const silent = Object.values(buildDroverSchema().getTypeMap())
      .filter((type) => !type.name.startsWith("__") && !["Query", "Mutation", "Subscription"].includes(type.name))
      .flatMap((type) => {
        const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
        const values = isEnumType(type) ? type.getValues() : [];
        const parts = [type, ...fields, ...values];
        return parts.filter(({ description }) => !description).map(({ name }) => `${type.name}.${name}`);
      });
    assert.deepEqual(silent, []);
  });
});
