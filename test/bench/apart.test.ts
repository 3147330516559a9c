// A benchmark in a process of its own is ended when it takes too long or is interrupted, and leaves nothing behind.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runApart } from "../../bench/apart/apart.js";
import { placement } from "../../bench/benchmarks/placement.js";
import { USUAL_EFFORT } from "../../bench/frame.js";
import { eventually } from "../support/eventually.js";

const PROGRAM = fileURLToPath(new URL("../../bench/main.js", import.meta.url));
const PATIENCE_MS = 120_000;

const NEVER = new AbortController().signal;

describe("bench/apart", () => {
  it("ends what takes longer than its longest time", async () => {
    const hurried = { ...placement, longestSeconds: 0.001 };
    await assert.rejects(runApart(hurried, USUAL_EFFORT, NEVER), /placement was ended: it took longer than/);
  });

  it("ends what is interrupted", async () => {
    const interrupt = new AbortController();
    const running = runApart(placement, USUAL_EFFORT, interrupt.signal);
    interrupt.abort();
    await assert.rejects(running, /placement was interrupted/);
  });

  it("begins nothing that was interrupted before", async () => {
    const endless = { ...placement, longestSeconds: 1_000_000 };
    await assert.rejects(runApart(endless, USUAL_EFFORT, AbortSignal.abort()), /placement was interrupted/);
  });

  describe("without further instructions", function () {
    this.timeout(2 * PATIENCE_MS);
    let folder: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), "drover-apart-"));
      // The account that PostgreSQL runs as has to get there.
      await chmod(folder, 0o755);
    });
    after(() => rm(folder, { recursive: true }));

    for (const signal of ["SIGKILL", "SIGHUP"] as const) {
      it(`ends its database after ${signal} to the process that started it`, async () => {
        const starter = spawn(process.execPath, [PROGRAM, "job-pickup"], {
          env: { ...process.env, TMPDIR: folder },
          stdio: "ignore",
        });
        try {
          const postmaster = await runningIn(folder);
          starter.kill(signal);
          await eventually(async () => {
            assert.deepEqual(await readdir(folder), []);
            assert.throws(() => process.kill(postmaster, 0), { code: "ESRCH" });
          }, PATIENCE_MS);
        } finally {
          starter.kill("SIGKILL");
        }
      });
    }
  });
});

/** The process id of the PostgreSQL server whose cluster is in one of the folders in this one; waits for it. */
async function runningIn(folder: string): Promise<number> {
  let postmaster = 0;
  await eventually(async () => {
    const [database = ""] = await readdir(folder);
    const text = await readFile(join(folder, database, "postgres", "postmaster.pid"), "utf8");
    postmaster = Number(text.split("\n")[0]);
    assert.ok(postmaster > 0);
  }, PATIENCE_MS);
  return postmaster;
}
