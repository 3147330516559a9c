// The operators' page has the table of settings as the service has it.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { settingEntries } from "../../src/core/settings.js";

const OPERATING = new URL("../../../docs/operating.md", import.meta.url);

const shown = (amount: number): string => amount.toLocaleString("en-US");

describe("docs/operating.md", () => {
  it("lists every setting with its default, range, unit and meaning", async () => {
    const [, section = ""] = (await readFile(OPERATING, "utf8")).split("\n## Settings\n");
    const [, ...rows] = [...section.slice(0, section.indexOf("\n## ")).matchAll(/^\| (?!-)(.*) \|$/gm)];
    assert.deepEqual(
      rows.map(([, row = ""]) => row.split("|").map((cell) => cell.trim())),
      settingEntries.map(([name, { initial, least, most, unit, text }]) => [
        `\`${name}\``,
        initial === null ? "—" : shown(initial),
        `${shown(least)} to ${shown(most)}`,
        unit,
        text,
      ]),
    );
  });
});
