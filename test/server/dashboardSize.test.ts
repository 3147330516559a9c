// The panel comes quickly also over a bad line: its script stays small.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const DASHBOARD = join(import.meta.dirname, "..", "..", "dashboard");
const ASSETS = join(DASHBOARD, "assets");

/** All pages together. */
const MOST_BYTES = 350_000;
/** What must be there before anything is seen. */
const MOST_BYTES_AT_FIRST = 200_000;

const compressed = (file: string): number => gzipSync(readFileSync(join(ASSETS, file)), { level: 9 }).length;
const sum = (files: readonly string[]): number => files.reduce((total, file) => total + compressed(file), 0);

describe("the dashboard's script", () => {
  it(`has at most ${MOST_BYTES} bytes in gzip`, () => {
    const size = sum(readdirSync(ASSETS).filter((file) => file.endsWith(".js")));
    assert.ok(size > 0 && size <= MOST_BYTES, `${size} bytes`);
  });

  it(`has at most ${MOST_BYTES_AT_FIRST} bytes in gzip before the first page`, () => {
    const index = readFileSync(join(DASHBOARD, "index.html"), "utf8");
    const size = sum([...index.matchAll(/assets\/([\w.-]+\.js)/g)].flatMap(([, file]) => file ?? []));
    assert.ok(size > 0 && size <= MOST_BYTES_AT_FIRST, `${size} bytes`);
  });
});
