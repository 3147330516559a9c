// How the process ends when it is told to: once in order, at once when it is told again.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";

const SIGNALS = new URL("../../../app/server/signals.js", import.meta.url).href;

describe("server/signals", () => {
  let child: ChildProcess | null = null;
  afterEach(() => child?.kill("SIGKILL"));

  /** A process that needs so long to stop, and does this when it begins to; resolves when it listens to signals. */
  const started = async (stopMs: number, meanwhile = ""): Promise<ChildProcess> => {
    const program = `
      import { stopOnSignals } from ${JSON.stringify(SIGNALS)};
      const log = { info() { process.stdout.write("stopping\\n"); ${meanwhile} }, warn() {}, error() {} };
      stopOnSignals(log, () => new Promise((resolve) => setTimeout(resolve, ${stopMs})));
      setInterval(() => {}, 1_000);
      process.stdout.write("ready\\n");`;
    child = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: ["ignore", "pipe", "inherit"] });
    await heard(child, "ready");
    return child;
  };

  it("drains although the same signal comes twice", async () => {
    const process = await started(100, `process.kill(process.pid, "SIGINT");`);
    const ended = once(process, "exit");
    process.kill("SIGINT");
    assert.deepEqual(await ended, [0, null]);
  });

  it("exits at once when the signal comes again later", async () => {
    const process = await started(3_600_000);
    const ended = once(process, "exit");
    process.kill("SIGTERM");
    await heard(process, "stopping");
    const again = setInterval(() => process.kill("SIGTERM"), 100);
    assert.deepEqual(await ended, [1, null]);
    clearInterval(again);
  });
});

async function heard({ stdout }: ChildProcess, word: string): Promise<void> {
  assert.ok(stdout !== null);
  const [text] = await once(stdout, "data");
  assert.equal(String(text).trim(), word);
}
