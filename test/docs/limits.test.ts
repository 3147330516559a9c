// The operators' table of limits names every variable with the default that it has.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { limitVariables } from "../../src/limits.js";

const OPERATING = fileURLToPath(new URL("../../../docs/operating.md", import.meta.url));

describe("docs/operating.md", () => {
  for (const [name, fallback] of Object.entries(z.object(limitVariables).parse({}))) {
    it(`tells ${name} and its default, ${fallback}`, async () => {
      const row = (await readFile(OPERATING, "utf8")).split("\n").find((line) => line.includes(`\`${name}\``));
      assert.ok(row !== undefined, `${name} is not told`);
      assert.match(row, new RegExp(`\\| ${fallback}( each)? +\\|`));
    });
  }
});
