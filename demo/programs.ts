// Starts and stops the demo's programs, each a process of its own with its output in a file.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { setTimeout as delay } from "node:timers/promises";

const compiled = fileURLToPath(new URL("..", import.meta.url));
const STOP_MS = 20_000;

export interface Program {
  readonly name: string;
  readonly pid: number;
  /** Resolves with the exit code when it ends by whatever cause. */
  readonly ended: Promise<number | null>;
  /** Resolves when a line that begins with this text was printed; rejects when the program ends before. */
  printed(text: string): Promise<void>;
  /** Ends it with SIGTERM, and with SIGKILL when that takes too long. */
  stop(): Promise<void>;
}

interface ProgramStart {
  readonly name: string;
  /** Compiled file below `dist/`. */
  readonly file: string;
  readonly arguments?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Directory of its log. */
  readonly directory: string;
}

/** What `npm start` tells Node.js. */
const AS_STARTED = ["--enable-source-maps", "--max-semi-space-size=16"];

export function startProgram({
  name,
  file,
  arguments: words = [],
  environment = {},
  directory,
}: ProgramStart): Program {
  const leash = pathToFileURL(join(compiled, "demo/leash.js")).href;
  const child = spawn(process.execPath, [...AS_STARTED, "--import", leash, join(compiled, file), ...words], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: { ...process.env, ...environment },
    // Ctrl-C is passed on in order, not given to all at once.
    detached: true,
  });
  if (child.stdout === null || child.stderr === null) throw new Error(`the ${name} has no output`);
  const log = createWriteStream(join(directory, `${name}.log`), { flags: "a", mode: 0o600 });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const ended = once(child, "exit").then(([code]) => (typeof code === "number" ? code : null));
  return {
    name,
    pid: child.pid ?? 0,
    ended,
    printed: (text) => linePrinted(child, text, { name, ended, directory }),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      const late = delay(STOP_MS, "late", { ref: false });
      if ((await Promise.race([ended, late])) === "late") child.kill("SIGKILL");
      await ended;
    },
  };
}

async function linePrinted(
  child: ChildProcess,
  text: string,
  { name, ended, directory }: { name: string; ended: Promise<number | null>; directory: string },
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    output += chunk.toString();
    if (output.includes(text)) resolve();
  });
  const failed = ended.then((code) => {
    throw new Error(`the ${name} ended with exit code ${code ?? "none"}; see ${join(directory, `${name}.log`)}`);
  });
  await Promise.race([promise, failed]);
}
