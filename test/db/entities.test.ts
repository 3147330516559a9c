// Entities and tables agree: what the one requires or leaves open, the other does too.
import assert from "node:assert/strict";
import { ApiToken } from "../../src/entities/apiToken.js";
import { UserAccount } from "../../src/entities/userAccount.js";
import { entities } from "../../src/entities/index.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

interface Column {
  readonly name: string;
  readonly nullable: boolean;
  readonly filled: boolean;
}

describe("entities", () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.close());

  const columnsOf = async (table: string): Promise<Map<string, Column>> => {
    const { rows } = await database.pool.query<Column>(
      `select column_name as name, is_nullable = 'YES' as nullable,
              column_default is not null or is_identity = 'YES' as filled
         from information_schema.columns where table_name = $1`,
      [table],
    );
    return new Map(rows.map((column) => [column.name, column]));
  };

  for (const entity of entities) {
    it(`${entity.meta.className} matches its table`, async () => {
      const columns = await columnsOf(entity.meta.tableName);
      const meta = database.entities().getMetadata().get(entity.meta.class);
      const mapped = new Set<string>();
      for (const property of meta.props) {
        for (const name of property.fieldNames ?? []) {
          const column = columns.get(name);
          assert.ok(column, `${property.name}: there is no column ${name}`);
          assert.equal(property.nullable ?? false, column.nullable, `${property.name}: nullable`);
          mapped.add(name);
        }
      }
      const left = [...columns.values()].filter(
        ({ name, nullable, filled }) => !nullable && !filled && !mapped.has(name),
      );
      assert.deepEqual(left, [], "columns that an insert must fill, without a property");
    });
  }

  it("are written with the table's defaults and read back with JavaScript's types", async () => {
    const writing = database.entities();
    const user = writing.create(UserAccount, { email: "a@example.com", username: "a", passwordHash: "x" });
    const token = writing.create(ApiToken, {
      name: "t",
      prefix: "p",
      tokenHash: "h",
      connectionScope: [1, 2],
      permissions: ["a", "b,c"],
    });
    await writing.flush();
    assert.equal(user.role, "customer");

    const reading = database.entities();
    const readToken = await reading.findOneOrFail(ApiToken, token.id);
    assert.deepEqual(
      [readToken.connectionScope, readToken.permissions],
      [
        [1, 2],
        ["a", "b,c"],
      ],
    );
    assert.ok(readToken.createdAt instanceof Date);
    assert.equal(readToken.rateLimit, null);
  });
});
