// Each table is written by one noun of the store, a file or a folder, and nowhere else.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { entities } from "../../src/entities/index.js";

/** The folders whose code runs in the service. */
const FOLDERS = ["src", "jobs", "heartbeat", "app", "rest", "resolvers", "graphql"];

/** Changes of the schema move rows between tables that no longer exist. */
const EXEMPT = "src/db/changes/";

/** In SQL, where the table is quoted or not, and in statements that Kysely builds. */
const WRITES = [
  /\b(?:insert\s+into|delete\s+from|merge\s+into|truncate(?:\s+table)?|copy)\s+(?:only\s+)?"?([a-z_]+)"?/gi,
  /\bupdate\s+(?:only\s+)?"?([a-z_]+)"?\s+(?:as\s+)?(?:"?[a-z]\w*"?\s+)?set\b/gi,
  /\.(?:insertInto|updateTable|deleteFrom|mergeInto)\(\s*["'`]([a-z_]+)/g,
];

const root = join(import.meta.dirname, "../../..");
const tableNames = new Set(entities.map((entity) => entity.meta.tableName));

function tablesWritten(source: string): string[] {
  return WRITES.flatMap((pattern) => Array.from(source.matchAll(pattern), ([, name = ""]) => name));
}

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
).filter((path) => path.endsWith(".ts") && !path.startsWith(EXEMPT));

/** The noun that a file belongs to: `src/store/<noun>.ts` or a file in `src/store/<noun>/`; null outside the store. */
const ownerOf = (path: string): string | null => /^src\/store\/([^/.]+)/.exec(path)?.[1] ?? null;

/** The files that write each table. */
const writers = new Map<string, Set<string>>();
for (const path of files) {
  for (const table of tablesWritten(readFileSync(join(root, path), "utf8"))) {
    if (!tableNames.has(table)) continue;
    writers.set(table, (writers.get(table) ?? new Set()).add(path));
  }
}

describe("who writes a table", () => {
  it("finds each way to write one", () => {
    const source = `delete from a using b; update "c" as d set; with x as (insert into e (f)) for update of g; db.updateTable("h as i")`;
    assert.deepEqual(tablesWritten(source).toSorted(), ["a", "c", "e", "h"]);
  });

  for (const table of [...tableNames].toSorted()) {
    const found = [...(writers.get(table) ?? [])].toSorted();
    const owners = new Set(found.map(ownerOf));
    const isOwned = owners.size <= 1 && !owners.has(null);
    it(`${table} is written by one noun of the store`, () =>
      assert.deepEqual({ isOwned, found }, { isOwned: true, found }));
  }
});
