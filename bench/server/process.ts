// Starts a server under measurement as a process of its own, and asks it what it uses.
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { BenchDatabase } from "../database.js";

const program = fileURLToPath(new URL("main.js", import.meta.url));

/** What `npm start` tells Node.js. */
const AS_STARTED = ["--enable-source-maps", "--max-semi-space-size=16"];

const started = z.object({ url: z.string() });
const used = z.object({
  cpu: z.object({ user: z.number(), system: z.number() }),
  memory: z.object({ rss: z.number(), heapUsed: z.number(), external: z.number() }),
  statements: z.number(),
});

/** What a process has used so far. */
interface Use {
  /** Microseconds of the process alone. */
  readonly cpu: number;
  /** Microseconds of the process and of PostgreSQL, whoever PostgreSQL worked for. */
  readonly cpuOfAll: number;
  /** Resident after a garbage collection, bytes. */
  readonly memory: number;
  /** SQL statements of the service sent to PostgreSQL. */
  readonly statements: number;
}

export class ServerProcess {
  private constructor(
    readonly name: string,
    private readonly child: ChildProcess,
    readonly url: string,
    private readonly database: BenchDatabase,
  ) {}

  /** Starts the server of this name on the database; resolves when it can serve. */
  static async start(name: string, database: BenchDatabase): Promise<ServerProcess> {
    const child = fork(program, [name, database.url], { execArgv: ["--expose-gc", ...AS_STARTED] });
    const message = await Promise.race([once(child, "message"), ended(child, name)]);
    return new ServerProcess(name, child, started.parse(message[0]).url, database);
  }

  async use(): Promise<Use> {
    const answered = once(this.child, "message");
    this.child.send("use");
    const [message] = await answered;
    const { cpu, memory, statements } = used.parse(message);
    const own = cpu.user + cpu.system;
    return { cpu: own, cpuOfAll: own + (await this.database.cpu()), memory: memory.rss, statements };
  }

  async stop(): Promise<void> {
    const gone = once(this.child, "exit");
    this.child.disconnect();
    await gone;
  }
}

async function ended(child: ChildProcess, name: string): Promise<never> {
  const [code] = await once(child, "exit");
  throw new Error(`The server ${name} ended with exit code ${String(code)} before it served`);
}

/** Has `work` done with servers on one database, and ends them. */
export async function withServers<Result>(
  names: readonly string[],
  database: BenchDatabase,
  work: (servers: readonly ServerProcess[]) => Promise<Result>,
): Promise<Result> {
  const servers: ServerProcess[] = [];
  try {
    for (const name of names) servers.push(await ServerProcess.start(name, database));
    return await work(servers);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}
