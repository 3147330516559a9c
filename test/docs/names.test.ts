// One name, one type: no two files of the service export types of the same name.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const SERVICE = ["app", "graphql", "heartbeat", "jobs", "resolvers", "rest", "schema", "src"];
const EXPORTED = /^export (?:abstract )?(?:class|interface|type|enum|const) ([A-Z][a-z]\w*)/gm;

const files = SERVICE.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
).filter((path) => path.endsWith(".ts"));

/** The files that export a type, by its name; a type and its values (`JobStatus`) are one. */
const exporters = new Map<string, Set<string>>();
for (const file of files) {
  for (const [, name = ""] of readFileSync(join(ROOT, file), "utf8").matchAll(EXPORTED))
    exporters.set(name, (exporters.get(name) ?? new Set()).add(file));
}

describe("names of types", () => {
  it("are found where they are exported", () => {
    assert.deepEqual([...(exporters.get("BalanceReport") ?? [])], ["src/core/balance/report.ts"]);
    assert.deepEqual([...(exporters.get("BalanceReportView") ?? [])], ["schema/balance.ts"]);
  });

  it("stand for one type each", () => {
    const shared = [...exporters].filter(([, paths]) => paths.size > 1).map(([name, paths]) => [name, ...paths]);
    assert.deepEqual(shared, []);
  });
});
