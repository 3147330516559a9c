// Runs the specs with one mutant: in a process that is kept, for pure code, or in one of its own with the tests' database.
import { fork, spawn } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const root = path("../..");

/** @typedef {"killed" | "survived" | "timed out"} Verdict */

/** Modules that are loaded again stay in memory: so many, and the process is replaced. */
const MOST_TURNS = 150;

/** Runs specs that need nothing but the code itself. */
export class WarmRunner {
  #child = null;
  #turns = 0;

  /** @returns {Promise<Verdict>} */
  async run(mutant, { specs, timeoutMs }) {
    if (++this.#turns % MOST_TURNS === 0) this.close();
    this.#child ??= fork(path("worker.mjs"), { stdio: ["ignore", "ignore", "ignore", "ipc"] });
    const child = this.#child;
    const { promise, resolve } = Promise.withResolvers();
    const timer = setTimeout(() => resolve("timed out"), timeoutMs);
    const ended = () => resolve("killed");
    child.once("exit", ended).once("message", ({ failures }) => resolve(failures === 0 ? "survived" : "killed"));
    child.send({ mutant, specs: specs.map((spec) => pathToFileURL(spec).href), timeoutMs });
    const verdict = await promise;
    clearTimeout(timer);
    child.off("exit", ended).removeAllListeners("message");
    if (verdict === "timed out" || child.exitCode !== null) this.close();
    return verdict;
  }

  close() {
    this.#child?.kill("SIGKILL");
    this.#child = null;
  }
}

/** Runs specs that need a database, in a process of their own: all share one server, which this process keeps. */
export class ColdRunner {
  /** @type {Promise<{ endRun(): Promise<void> }> | null} */
  #server = null;

  /** @returns {Promise<Verdict>} */
  async run(mutant, { specs, timeoutMs, environment = {} }) {
    this.#server ??= keepServer();
    await this.#server;
    const words = ["--no-config", "--bail", "--exit", "--timeout", String(timeoutMs), ...specs];
    const child = spawn(process.execPath, [path("../../node_modules/mocha/bin/mocha.js"), ...words], {
      cwd: root,
      env: {
        ...process.env,
        NODE_OPTIONS: `--import=${pathToFileURL(path("hook.mjs")).href}`,
        DROVER_MUTANT: JSON.stringify(mutant),
        ...environment,
      },
      stdio: "ignore",
      detached: true,
    });
    const { promise, resolve } = Promise.withResolvers();
    const timer = setTimeout(() => resolve("timed out"), timeoutMs);
    child.once("exit", (code) => resolve(code === 0 ? "survived" : "killed"));
    const verdict = await promise;
    clearTimeout(timer);
    // With all that the specs have started.
    if (verdict === "timed out" && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    return verdict;
  }

  async close() {
    const server = await this.#server;
    await server?.endRun();
  }
}

async function keepServer() {
  const server = await import("../../dist/test/support/server.js");
  await server.beginRun();
  await server.testServer();
  return server;
}
