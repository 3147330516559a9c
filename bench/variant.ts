// Starts a variant's process, loads it from another process, and measures both ends.
import { execFile, fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { z } from "zod";

const run = promisify(execFile);
const program = fileURLToPath(new URL("server.js", import.meta.url));
const autocannon = fileURLToPath(import.meta.resolve("autocannon"));

const started = z.object({ address: z.object({ port: z.number() }) });
const usage = z.object({ cpu: z.object({ user: z.number(), system: z.number() }) });
const report = z.object({
  requests: z.object({ total: z.number() }),
  latency: z.object({ p50: z.number(), p99: z.number() }),
  duration: z.number(),
  non2xx: z.number(),
  errors: z.number(),
});

/** How one round of load went. */
export interface Measurement {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time of the server's process, microseconds a request. */
  readonly cpuMicroseconds: number;
}

export interface Load {
  readonly path: string;
  readonly token: string;
  readonly connections: number;
  readonly seconds: number;
}

export class Variant {
  private constructor(
    readonly name: string,
    private readonly child: ChildProcess,
    private readonly port: number,
  ) {}

  static async start(name: string, databaseUrl: string): Promise<Variant> {
    const child = fork(program, [name, databaseUrl]);
    const [message] = await once(child, "message");
    return new Variant(name, child, started.parse(message).address.port);
  }

  /** The answer to one request, so that variants can be compared. */
  async answer({ path, token }: Load): Promise<unknown> {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    return response.json();
  }

  /** @throws Error when any answer was not 2xx */
  async measure({ path, token, connections, seconds }: Load): Promise<Measurement> {
    const before = await this.cpu();
    const { stdout } = await run(process.execPath, [
      autocannon,
      "--json",
      `--connections=${connections}`,
      `--duration=${seconds}`,
      `--headers=Authorization: Bearer ${token}`,
      `http://127.0.0.1:${this.port}${path}`,
    ]);
    const cpu = (await this.cpu()) - before;
    const { requests, latency, duration, non2xx, errors } = report.parse(JSON.parse(stdout));
    if (non2xx + errors > 0) throw new Error(`${this.name}: ${non2xx} answers were no success, ${errors} failed`);
    return {
      requestsPerSecond: requests.total / duration,
      p50Ms: latency.p50,
      p99Ms: latency.p99,
      cpuMicroseconds: cpu / requests.total,
    };
  }

  async stop(): Promise<void> {
    const gone = once(this.child, "exit");
    this.child.disconnect();
    await gone;
  }

  private async cpu(): Promise<number> {
    const answered = once(this.child, "message");
    this.child.send("cpu");
    const [message] = await answered;
    const { user, system } = usage.parse(message).cpu;
    return user + system;
  }
}
