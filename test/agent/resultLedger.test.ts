// Results over restarts, broken state files and directories that cannot be written.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JobResult } from "../../agent/protocol.js";
import { ResultLedger } from "../../agent/resultLedger.js";

const result = (id: string): JobResult => ({ id, status: "done", error: null, data: { n: 1 } });

describe("agent result ledger", () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "drover-ledger-"));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it("keeps unreported results over a restart, oldest first, in a file of its own user", async () => {
    const before = await ResultLedger.open(directory);
    await Promise.all([before.record(result("a")), before.record(result("b"))]);
    await before.acknowledge([result("a")]);
    const after = await ResultLedger.open(directory);
    assert.deepEqual(after.takeUnreported(), [result("b")]);
    assert.deepEqual(after.find("a"), result("a"));
    assert.equal((await stat(join(directory, "results.json"))).mode & 0o777, 0o600);
  });

  it("distinguishes results that were never sent from repeated ones", async () => {
    const ledger = await ResultLedger.open(undefined);
    assert.equal(ledger.waiting(), "none");
    await ledger.record(result("a"));
    assert.equal(ledger.waiting(), "new");
    ledger.takeUnreported();
    assert.equal(ledger.waiting(), "repeated");
    await ledger.acknowledge([result("a")]);
    assert.equal(ledger.waiting(), "none");
    ledger.reportAgain("a");
    assert.equal(ledger.waiting(), "repeated");
    ledger.reportAgain("never seen");
  });

  it("sends at most a hundred at once", async () => {
    const ledger = await ResultLedger.open(undefined);
    for (let index = 0; index < 101; index += 1) await ledger.record(result(String(index)));
    assert.equal(ledger.takeUnreported().length, 100);
  });

  it("forgets the oldest of more than two thousand, and what is older than a day", async () => {
    const old = { ...result("old"), reported: true, finishedAt: Date.now() - 25 * 60 * 60 * 1000 };
    await writeFile(join(directory, "results.json"), JSON.stringify([old]));
    const ledger = await ResultLedger.open(directory);
    assert.deepEqual(ledger.find("old"), result("old"));
    await Promise.all(Array.from({ length: 2001 }, (_, index) => ledger.record(result(String(index)))));
    assert.equal(ledger.find("old"), null);
    assert.equal(ledger.find("0"), null);
    assert.deepEqual(ledger.find("1"), result("1"));
  });

  it("starts again from a broken file, names it, and heals it with the next result", async () => {
    const path = join(directory, "results.json");
    await writeFile(path, '[{"id":');
    const ledger = await ResultLedger.open(directory);
    assert.match(ledger.problem ?? "", /results\.json cannot be read/);
    await ledger.record(result("a"));
    assert.equal(ledger.problem, null);
    assert.match(await readFile(path, "utf8"), /"id":"a"/);
  });

  it("leaves out entries of another shape", async () => {
    const entries = [1, null, { id: "x" }, { ...result("y"), finishedAt: "now" }, { ...result("z"), finishedAt: 1 }];
    await writeFile(join(directory, "results.json"), JSON.stringify(entries));
    const ledger = await ResultLedger.open(directory);
    assert.deepEqual(
      ledger.takeUnreported().map(({ id }) => id),
      ["z"],
    );
  });

  it("goes on in memory when the directory cannot be written, and reports it", async () => {
    const file = join(directory, "file");
    await writeFile(file, "");
    const ledger = await ResultLedger.open(join(file, "state"));
    await ledger.record(result("a"));
    assert.match(ledger.problem ?? "", /results\.json cannot be written/);
    assert.deepEqual(ledger.find("a"), result("a"));
  });
});
