// Runs mocha once, in a process of its own, and says what became of the run.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { RECORD } from "./record.mjs";

const PROGRAM = fileURLToPath(import.meta.resolve("mocha/bin/mocha.js"));
const REPORTER = fileURLToPath(new URL("record.mjs", import.meta.url));
const SIGNALS = ["SIGINT", "SIGTERM"];
/** What the processes of a run that is ended get to end by themselves. */
const END_MS = 5_000;
const BETWEEN_LOOKS_MS = 50;

/**
 * @param words options and spec files, as on mocha's command line
 * @param limitMs after which the run is ended: something in it waits for ever
 * @returns `isWhole`: the run reached its end; `isPassed`: it also ran something, and nothing failed; `isSkipped`: all that there was to run
 *   is skipped here
 */
export async function runMocha(words, limitMs) {
  const scratch = mkdtempSync(join(tmpdir(), "drover-record-"));
  const record = join(scratch, "record.jsonl");
  const begin = performance.now();
  const child = spawn(process.execPath, [PROGRAM, "--reporter", REPORTER, ...words], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, [RECORD]: record },
    // mocha passes no signal on to its processes: they are a group, which is ended as a whole.
    detached: true,
  });
  const limit = setTimeout(() => end(child), limitMs);
  let isInterrupted = false;
  const interrupt = () => {
    isInterrupted = true;
    end(child);
  };
  for (const name of SIGNALS) process.on(name, interrupt);
  const [status] = await once(child, "exit");
  clearTimeout(limit);
  for (const name of SIGNALS) process.off(name, interrupt);
  if (isInterrupted) await exit(child);
  const lines = existsSync(record) ? readFileSync(record, "utf8").split("\n").filter(Boolean).map(JSON.parse) : [];
  rmSync(scratch, { recursive: true });
  const failures = lines.filter(({ file }) => file !== undefined);
  const counts = lines.find((line) => line.end)?.end ?? null;
  const isSound = status === 0 && failures.length === 0 && counts !== null;
  return {
    isWhole: counts !== null && status !== null,
    isPassed: isSound && counts.passes > 0,
    isSkipped: isSound && counts.passes === 0 && counts.pending > 0,
    failures,
    counts: counts ?? { passes: 0, failures: failures.length, pending: 0 },
    seconds: Math.round((performance.now() - begin) / 1000),
  };
}

function end({ pid }) {
  signal(pid, "SIGTERM");
  setTimeout(() => signal(pid, "SIGKILL"), END_MS);
}

/** Whoever interrupts a run wants no trial after it, and nothing left of it. */
async function exit({ pid }) {
  const deadline = performance.now() + END_MS;
  while (isThere(pid) && performance.now() < deadline) await delay(BETWEEN_LOOKS_MS);
  signal(pid, "SIGKILL");
  process.stdout.write("\n==== FAILED  the run was interrupted\n");
  process.exit(1);
}

const isThere = (group) => signal(group, 0);

/** @returns whether there was a process left in the group */
function signal(group, name) {
  try {
    process.kill(-group, name);
    return true;
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
    return false;
  }
}
