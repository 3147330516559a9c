// The spec files of the newest change are run alone: what fails there is rejected, and what is skipped here is not.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../../../scripts/test/altered.mjs", import.meta.url));
const GOOD = `it("holds", () => undefined);`;
const SKIPPED = `it.skip("cannot be tried here", () => undefined);`;
/** In one of three processes, whichever is the second. */
const WAVERING = `const fs = require("node:fs");
  fs.appendFileSync("runs", ".");
  it("wavers", () => { if (fs.readFileSync("runs", "utf8") === "..") throw new Error("late"); });`;

describe("the specs of the newest change", () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "drover-altered-"));
    mkdirSync(join(directory, "test"));
    mkdirSync(join(directory, "dist", "test"), { recursive: true });
    git(0, "init", "--quiet");
    git(0, "commit", "--quiet", "--allow-empty", "--message", "before");
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  /** @param hour at which it is committed */
  function git(hour: number, ...words: string[]): void {
    const date = new Date(Date.UTC(2026, 0, 1, hour)).toISOString();
    const names = { GIT_AUTHOR_NAME: "n", GIT_AUTHOR_EMAIL: "n@n.example", GIT_AUTHOR_DATE: date };
    const committer = { GIT_COMMITTER_NAME: "n", GIT_COMMITTER_EMAIL: "n@n.example", GIT_COMMITTER_DATE: date };
    execFileSync("git", words, { cwd: directory, env: { ...process.env, ...names, ...committer } });
  }

  /** @returns exit code and output */
  function run(spec: string): { readonly code: number | null; readonly output: string } {
    writeFileSync(join(directory, "test", "one.test.ts"), "");
    writeFileSync(join(directory, "dist", "test", "one.test.js"), spec);
    git(10, "add", "test");
    git(10, "commit", "--quiet", "--message", "newest");
    // Its summary is not one of the suite that this is a part of.
    const env = { ...process.env, DROVER_TEST_SUMMARY: join(directory, "summary") };
    const { status, stdout } = spawnSync(process.execPath, [PROGRAM], { cwd: directory, env, encoding: "utf8" });
    return { code: status, output: stdout };
  }

  for (const [title, spec, code, said] of [
    ["pass when they hold three times", GOOD, 0, /1 of 1 spec files .* were tried, 0 failed/],
    ["pass when they are skipped on this machine", SKIPPED, 0, /1 of 1 spec files .* were tried, 0 failed/],
    ["fail when they waver", WAVERING, 1, /FAILED {2}dist\/test\/one\.test\.js: passed alone 1 of 2 times/],
    ["fail when there is nothing in them", "", 1, /passed alone 0 of 1 times/],
  ] as const) {
    it(title, () => {
      const ended = run(spec);
      assert.equal(ended.code, code, ended.output);
      assert.match(ended.output, said);
    });
  }
});
