// What fails among other specs is run again alone: noise passes and is named, and a fault is rejected however it shows.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually } from "../support/eventually.js";

const PROGRAM = fileURLToPath(new URL("../../../scripts/test.mjs", import.meta.url));

/** Counts the runs of its file, in a file beside it. */
const RUNS = `
const fs = require("node:fs");
fs.appendFileSync(__filename + ".runs", ".");
const run = fs.readFileSync(__filename + ".runs", "utf8").length;
const assert = require("node:assert");
`;
const GOOD = `it("holds", () => undefined);`;
const BAD = `it("is wrong", () => assert.equal(1, 2));`;
const ONCE = `it("is late", () => assert.ok(run > 1, "late"));`;

const last = (output: string): string => output.trimEnd().split("\n").at(-1) ?? "";

describe("a run of tests", () => {
  let directory: string;
  beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), "drover-trials-"))));
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const pidOf = (name: string) => readFile(join(directory, `${name}.pid`), "utf8");

  /** @param specs text by file name @returns exit code, output, and how often each file was loaded */
  const runOf = (specs: Record<string, string>, options: { parallel?: boolean } = {}) => start(specs, options).ended;

  function start(specs: Record<string, string>, { parallel = true }: { parallel?: boolean } = {}) {
    for (const [name, text] of Object.entries(specs)) writeFileSync(join(directory, name), RUNS + text);
    const mode = parallel ? ["--parallel", "--jobs", "2"] : ["--no-parallel"];
    const words = [PROGRAM, ...mode, "--", ...Object.keys(specs).map((name) => `./${name}`)];
    const env = { ...process.env, DROVER_TEST_SUMMARY: join(directory, "summary") };
    const child = spawn(process.execPath, words, { cwd: directory, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const runs = async (name: string) => (await readFile(join(directory, `${name}.runs`), "utf8")).length;
    const ended = once(child, "close").then(([code]) => ({ code: Number(code), output, runs }));
    return { ended, interrupt: () => child.kill("SIGINT") };
  }

  for (const parallel of [true, false]) {
    describe(parallel ? "in several processes" : "in one process", () => {
      it("passes as a whole, and runs nothing twice", async () => {
        const { code, output, runs } = await runOf({ "a.cjs": GOOD, "b.cjs": GOOD }, { parallel });
        assert.equal(code, 0, output);
        assert.equal(last(output), "2 passed, 0 failed, 0 skipped");
        assert.deepEqual([await runs("a.cjs"), await runs("b.cjs")], [1, 1]);
      });

      it("passes when a spec that failed passes alone twice, and names it with its error", async () => {
        const { code, output, runs } = await runOf({ "a.cjs": `${GOOD} ${ONCE}`, "b.cjs": GOOD }, { parallel });
        assert.equal(code, 0, output);
        assert.match(output, /FLAKY +a\.cjs: failed among others, and passed alone 2 of 2 times\n +is late\n +late/);
        assert.equal(last(output), "3 passed, 0 failed, 0 skipped");
        assert.deepEqual([await runs("a.cjs"), await runs("b.cjs")], [3, 1]);
        assert.match(await readFile(join(directory, ".tests", "flaky.jsonl"), "utf8"), /"file":"a\.cjs"/);
      });

      it("passes when a hook failed once", async () => {
        const hook = `describe("a", () => { before(() => assert.ok(run > 1)); it("holds", () => undefined); });`;
        const { code, output } = await runOf({ "a.cjs": hook, "b.cjs": GOOD }, { parallel });
        assert.equal(code, 0, output);
        assert.match(output, /FLAKY +a\.cjs/);
      });

      it("fails when one of the failures is a fault", async () => {
        const { code, output } = await runOf({ "a.cjs": ONCE, "b.cjs": BAD, "c.cjs": ONCE }, { parallel });
        assert.equal(code, 1, output);
        for (const name of ["a", "c"]) assert.match(output, new RegExp(`FLAKY +${name}\\.cjs`));
        assert.match(output, /FAILED +b\.cjs: .* passed alone 0 of 2 times/);
        assert.equal(last(output), "2 passed, 1 failed, 0 skipped");
      });

      it("fails when a spec file cannot be loaded", async () => {
        const { code, output } = await runOf({ "a.cjs": GOOD, "b.cjs": `throw new Error("broken");` }, { parallel });
        assert.equal(code, 1, output);
        assert.match(last(output), /^\d+ passed, [1-9]\d* failed/);
      });

      it("fails when nothing was run", async () => {
        const { code, output } = await runOf({ "a.cjs": "" }, { parallel });
        assert.equal(code, 1, output);
      });

      it("fails when something throws after its test", async () => {
        const late = `it("holds", () => void setTimeout(() => { throw new Error("after"); }, 0));
          it("holds on", (done) => void setTimeout(done, 1000));`;
        const { code, output } = await runOf({ "a.cjs": late, "b.cjs": GOOD }, { parallel });
        assert.equal(code, 1, output);
      });
    });
  }

  it("fails when a spec passes only once of three times", async () => {
    const { code, output, runs } = await runOf({ "a.cjs": `it("wavers", () => assert.ok(run === 3));`, "b.cjs": GOOD });
    assert.equal(code, 1, output);
    assert.match(output, /FAILED +a\.cjs: failed among others, and passed alone 1 of 3 times/);
    assert.equal(await runs("a.cjs"), 4);
  });

  it("passes when a spec fails once more, and passes twice of three times", async () => {
    const { code, output } = await runOf({ "a.cjs": `it("wavers", () => assert.ok(run > 2));`, "b.cjs": GOOD });
    assert.equal(code, 0, output);
    assert.match(output, /FLAKY +a\.cjs: failed among others, and passed alone 2 of 3 times/);
  });

  it("ends a trial with its first failure", async () => {
    const second = `it("is not tried alone", () => fs.appendFileSync(__filename + ".second", "."));`;
    const { code, output } = await runOf({ "a.cjs": BAD + second, "b.cjs": GOOD });
    assert.equal(code, 1, output);
    assert.equal(await readFile(join(directory, "a.cjs.second"), "utf8"), ".");
  });

  it("fails at once when a process of it ends", async () => {
    const { code, output, runs } = await runOf({ "a.cjs": `it("ends", () => process.exit(0));`, "b.cjs": GOOD });
    assert.equal(code, 1, output);
    assert.equal(await runs("a.cjs"), 1);
  });

  it("fails at once when more files fail than noise explains", async () => {
    const specs = Object.fromEntries(["a", "b", "c", "d", "e"].map((name) => [`${name}.cjs`, ONCE]));
    const { code, output, runs } = await runOf(specs);
    assert.equal(code, 1, output);
    assert.match(output, /FAILED +5 spec files failed, and more than 4 are no noise/);
    assert.equal(await runs("a.cjs"), 1);
  });

  it("fails at once when more tests fail than noise explains", async () => {
    const many = Array.from({ length: 9 }, (_, index) => `it("is late ${index}", () => assert.ok(run > 1));`).join(
      "\n",
    );
    const { code, output, runs } = await runOf({ "a.cjs": many });
    assert.equal(code, 1, output);
    assert.equal(await runs("a.cjs"), 1);
  });

  it("runs only the blocks again that failed in a suite", async () => {
    const suite = `
      describe("one (of two)", () => it("is late", () => assert.ok(run > 1)));
      describe("two", () => it("runs once", () => assert.equal(run, 1)));`;
    const { code, output } = await runOf({ "all.suite.js": suite });
    assert.equal(code, 0, output);
    assert.match(output, /FLAKY +all\.suite\.js/);
    assert.equal(last(output), "2 passed, 0 failed, 0 skipped");
  });

  for (const [when, hangsFrom] of [
    ["among other specs", 1],
    ["in a trial", 2],
  ] as const) {
    it(`ends all its processes when it is interrupted ${when}, and is no pass`, async () => {
      const hangs = `
        it("hangs", (done) => {
          if (run < ${hangsFrom}) return done(new Error("late"));
          fs.writeFileSync(__filename + ".pid", String(process.pid));
          setInterval(() => done, 1000);
        }).timeout(0);`;
      const running = start({ "a.cjs": hangs, "b.cjs": GOOD });
      await eventually(async () => assert.match(await pidOf("a.cjs"), /^\d+$/));
      running.interrupt();
      const { code, output } = await running.ended;
      assert.equal(code, 1, output);
      assert.match(output, /FAILED +the run was interrupted\n$/);
      const pid = Number(await pidOf("a.cjs"));
      await eventually(async () => assert.throws(() => process.kill(pid, 0), /ESRCH/));
    });
  }

  it("counts how often a spec was flaky", async () => {
    await runOf({ "a.cjs": ONCE });
    await rm(join(directory, "a.cjs.runs"));
    const { output } = await runOf({ "a.cjs": ONCE });
    assert.match(output, /for the 2th time: a fault to be mended/);
  });
});
