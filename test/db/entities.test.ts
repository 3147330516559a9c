// Entities describe the migrated schema: every table, every column, its type, and whether an insert may leave it out.
import assert from "node:assert/strict";
import { MikroORM } from "@mikro-orm/postgresql";
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
  let orm: Pick<MikroORM, "close" | "getMetadata">;
  before(async () => {
    database = await createTestDatabase();
    orm = await MikroORM.init({ clientUrl: database.url, entities });
  });
  after(async () => {
    await orm.close();
    await database.close();
  });

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
    const meta = orm.getMetadata().get(entity.meta.class);
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
});
