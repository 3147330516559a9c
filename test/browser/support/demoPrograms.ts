// Runs the demo of a suite of the browser's tests, its platform and its service apart: the service can be ended and started again.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { lastingPort } from "../../../demo/ports.js";
import { WIDE_GUARDS } from "../../support/guards.js";
import { runProgram, type RunningProgram } from "../../support/programs.js";

const TOLD_CHARACTERS = 2_000;
const LOG_LINES = 100;

const description = z.object({
  url: z.string(),
  graphql: z.string(),
  admin: z.object({ username: z.string(), password: z.string() }),
  hosts: z.array(z.object({ name: z.string(), control: z.string() })),
});
export type Description = z.output<typeof description>;

export class DemoPrograms {
  #directory = "";
  #port = 0;
  #platform: RunningProgram | null = null;
  #service: RunningProgram | null = null;
  #over = new AbortController();
  #description: Description | null = null;

  async startPlatform(): Promise<void> {
    this.#directory = await mkdtemp(join(tmpdir(), "drover-panel-"));
    this.#port = await lastingPort();
    this.#platform = runProgram("demo/main.js", ["--only", "platform"], this.#environment);
    await this.#platform.printed("platform ready");
  }

  /** The first time, and again at the same address. */
  async startService(): Promise<void> {
    const service = runProgram("demo/main.js", ["--only", "service"], this.#environment);
    const over = new AbortController();
    this.#service = service;
    this.#over = over;
    void service.ended.finally(() => over.abort(new Error("The service of the demo has ended")));
    await service.printed("Drover is ready");
    this.#description = description.parse(JSON.parse(await readFile(join(this.#data, "demo.json"), "utf8")));
  }

  async endService(): Promise<void> {
    await this.#service?.end();
  }

  /** Starts the service again that a test has left ended, or that does not serve. */
  async serviceRuns(): Promise<void> {
    if (await this.#serves()) return;
    await this.endService();
    await this.startService();
  }

  async end(): Promise<void> {
    await this.endService();
    await this.#platform?.end();
    if (this.#directory !== "") await rm(this.#directory, { recursive: true, force: true });
  }

  get known(): Description {
    if (this.#description === null) throw new Error("The panel was not started");
    return this.#description;
  }

  /** Aborted when the service has ended. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** The ends of what the programs printed. */
  output(): string {
    return [
      `The platform printed:\n${this.#platform?.output().slice(-TOLD_CHARACTERS) ?? "nothing"}`,
      `The service printed:\n${this.#service?.output().slice(-TOLD_CHARACTERS) ?? "nothing"}`,
    ].join("\n");
  }

  /** The ends of the logs of the service and the platform. */
  async logs(): Promise<string> {
    const parts = [];
    for (const name of ["service", "platform"]) {
      const text = await readFile(join(this.#data, `${name}.log`), "utf8").catch(() => "");
      const lines = text.trimEnd().split("\n").slice(-LOG_LINES);
      parts.push(`The log of the ${name}:`, ...lines.map((line) => line.slice(0, TOLD_CHARACTERS)));
    }
    return parts.join("\n");
  }

  get #data(): string {
    return join(this.#directory, "demo");
  }

  get #environment(): Record<string, string> {
    return {
      ...WIDE_GUARDS,
      DROVER_DATA: this.#data,
      PORT: String(this.#port),
      LOG_LEVEL: "warn",
      DROVER_SYNC_SECONDS: "2",
      // The service is started again and again: Node.js compiles it once.
      NODE_COMPILE_CACHE: join(this.#directory, "compiled"),
    };
  }

  async #serves(): Promise<boolean> {
    if (this.#service === null || this.#over.signal.aborted || this.#description === null) return false;
    const answer = await fetch(`${this.#description.url}/readyz`, { signal: this.#over.signal }).catch(() => null);
    return answer?.ok === true;
  }
}
