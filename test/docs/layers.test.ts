// The table of folders in docs/architecture.md is the one that the linter's rules are made from.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { z } from "zod";

const PAGE = new URL("../../../docs/architecture.md", import.meta.url);
const TABLE = new URL("../../../scripts/layers.mjs", import.meta.url);

const table = z.object({
  COMMON: z.array(z.string()),
  LAYERS: z.array(z.object({ folder: z.string(), is: z.string(), imports: z.array(z.string()) })),
});

const inCode = (folder: string): string => `\`${folder}\``;

describe("docs/architecture.md", () => {
  it("shows every folder with what it is and what it may import", async () => {
    const { COMMON, LAYERS } = table.parse(await import(TABLE.href));
    const importsOf = (imports: readonly string[]): string => {
      const isCommon = COMMON.every((folder) => imports.includes(folder));
      const named = imports.filter((folder) => !isCommon || !COMMON.includes(folder)).map(inCode);
      return [...(isCommon ? ["the common rooms"] : []), ...named].join(", ") || "nothing";
    };
    const rows = [...(await readFile(PAGE, "utf8")).matchAll(/^\| (`.*`) +\| (.*?) +\| (.*?) +\|$/gm)];
    assert.deepEqual(
      rows.map(([, folder, is, imports]) => [folder, is, imports]),
      LAYERS.map(({ folder, is, imports }) => [inCode(folder), is, importsOf(imports)]),
    );
  });
});
