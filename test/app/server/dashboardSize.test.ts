// The panel comes quickly also over a bad line: its script stays small.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const DASHBOARD = join(import.meta.dirname, "..", "..", "..", "dashboard");
const ASSETS = join(DASHBOARD, "assets");

/** All pages together. */
const MOST_BYTES = 375_000;
/** What must be there before anything is seen. */
const MOST_BYTES_AT_FIRST = 200_000;

/** As browsers get it: the smallest files are not compressed. */
const sentBytes = (file: string): number => {
  const compressed = join(ASSETS, `${file}.br`);
  return statSync(existsSync(compressed) ? compressed : join(ASSETS, file)).size;
};
const sum = (files: readonly string[]): number => files.reduce((total, file) => total + sentBytes(file), 0);

describe("the dashboard's script", () => {
  it(`has at most ${MOST_BYTES} compressed bytes`, () => {
    const size = sum(readdirSync(ASSETS).filter((file) => file.endsWith(".js")));
    assert.ok(size > 0 && size <= MOST_BYTES, `${size} bytes`);
  });

  it(`has at most ${MOST_BYTES_AT_FIRST} compressed bytes before the first page`, () => {
    const index = readFileSync(join(DASHBOARD, "index.html"), "utf8");
    const size = sum([...index.matchAll(/assets\/([\w.-]+\.js)/g)].flatMap(([, file]) => file ?? []));
    assert.ok(size > 0 && size <= MOST_BYTES_AT_FIRST, `${size} bytes`);
  });
});
