// Entities describe the migrated schema: every table, every column, its type, and whether an insert may leave it out.
import assert from "node:assert/strict";
import { ApiToken } from "../../src/entities/apiToken.js";
import { UserAccount } from "../../src/entities/userAccount.js";
import { entities } from "../../src/entities/index.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

interface Column {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly filled: boolean;
  readonly primary: boolean;
}

/** Tables that no entity describes: they belong to libraries. */
const OF_LIBRARIES = ["agenda_jobs", "agenda_logs", "schema_change"];

/** Names that PostgreSQL gives the types which MikroORM writes otherwise. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  timestamptz: "timestamp with time zone",
  "timestamptz(6)": "timestamp with time zone",
  int: "integer",
  serial: "integer",
  bigserial: "bigint",
};

describe("entities", () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.close());

  const columnsOf = async (table: string): Promise<Column[]> => {
    const { rows } = await database.pool.query<Column>(
      `select attname as name, format_type(atttypid, atttypmod) as type, not attnotnull as nullable,
              atthasdef or attidentity <> '' as filled,
              coalesce(attnum = any (i.indkey), false) as primary
         from pg_attribute left join pg_index i on i.indrelid = attrelid and i.indisprimary
        where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attname`,
      [table],
    );
    return rows;
  };

  /** The columns of an entity, as it describes them. */
  function describedBy(entity: (typeof entities)[number]): Column[] {
    const meta = database.entities().getMetadata().get(entity.meta.class);
    const columns = meta.props.flatMap((property) =>
      property.fieldNames.map((name, index) => {
        const type = property.columnTypes[index] ?? "";
        return {
          name,
          type: TYPE_NAMES[type] ?? type,
          nullable: property.nullable ?? false,
          filled: property.defaultRaw !== undefined || property.autoincrement === true,
          primary: property.primary ?? false,
        };
      }),
    );
    return columns.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  for (const entity of entities) {
    it(`${entity.meta.className} has the columns of its table`, async () => {
      assert.deepEqual(describedBy(entity), await columnsOf(entity.meta.tableName));
    });
  }

  it("describe every table of the schema", async () => {
    const { rows } = await database.pool.query<{ name: string }>(
      `select relname as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
    );
    const tables = rows.map(({ name }) => name).filter((name) => !OF_LIBRARIES.includes(name));
    assert.deepEqual(entities.map(({ meta }) => meta.tableName).toSorted(), tables.toSorted());
  });

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
