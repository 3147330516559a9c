// The operators' page about moves: every step and every check has its line, and no other.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { MigrationStep } from "../../src/core/enums.js";
import { MOVE_CHECKS } from "../../src/core/migration/preflight.js";

const PAGE = fileURLToPath(new URL("../../../docs/moves.md", import.meta.url));

/** First cells of the table under a heading. */
const namesUnder = async (heading: string): Promise<string[]> => {
  const [, part = ""] = (await readFile(PAGE, "utf8")).split(`\n## ${heading}\n`);
  const [table = ""] = part.split("\n## ");
  return [...table.matchAll(/^\| `([A-Z_]+)`/gm)].flatMap(([, name]) => name ?? []);
};

describe("docs/moves.md", () => {
  it("describes what to do about every check", async () => {
    assert.deepEqual(new Set(await namesUnder("Checks")), new Set(MOVE_CHECKS.map(({ code }) => code)));
  });

  it("describes what happens in every step, in their order", async () => {
    const steps = Object.values(MigrationStep).map((step) => step.toUpperCase());
    assert.deepEqual(await namesUnder("The steps"), steps);
  });
});
