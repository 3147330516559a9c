// The operators' page tells every variable of the environment that is read, with its default, and no other.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { environment } from "../../src/config/config.js";

const OPERATING = fileURLToPath(new URL("../../../docs/operating.md", import.meta.url));

/** The rows of each table of a page, each as its cells; the row of dashes below a header is left out. */
const tablesOf = (page: string): string[][][] =>
  [...page.matchAll(/(?:^\|.*\|\n)+/gm)].map(([table]) =>
    table
      .trim()
      .split("\n")
      .filter((row) => !/^\|[ |-]+\|$/.test(row))
      .map((row) => row.split("|").map((cell) => cell.trim().replaceAll("`", ""))),
  );

/** The variables that the page tells in tables with the columns `variable` and `default`. */
async function toldDefaults(): Promise<Map<string, string>> {
  const told = tablesOf(await readFile(OPERATING, "utf8")).flatMap(([header = [], ...rows]) => {
    const [name, fallback] = [header.indexOf("variable"), header.indexOf("default")];
    return rows.map((row): [string, string] => [row[name] ?? "—", row[fallback] ?? ""]);
  });
  return new Map(told.filter(([name]) => name !== "—"));
}

/** A default as the page says it: a dash where there is none. */
const said = (fallback: string | number | readonly string[] | undefined): string =>
  [fallback ?? []].flat().join(", ") || "—";

describe("docs/operating.md", () => {
  it("names every variable of the environment, and no other", async () => {
    assert.deepEqual(new Set((await toldDefaults()).keys()), new Set(Object.keys(environment.shape)));
  });

  const defaults = new Map(Object.entries(environment.parse({})));
  for (const name of Object.keys(environment.shape)) {
    it(`states the default of ${name}`, async () => {
      assert.equal((await toldDefaults()).get(name)?.replace(/ each$/, ""), said(defaults.get(name)));
    });
  }
});
