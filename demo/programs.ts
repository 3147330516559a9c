// Starts and stops the demo's programs, each a process of its own with its output in a file.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { lastLinesOf } from "./lastLines.js";

const compiled = fileURLToPath(new URL("..", import.meta.url));
/** Twice as long as the service gives its own end. */
const STOP_MS = 60_000;
/** For the rest of the output of a program that has ended. */
const REST_MS = 5_000;

export interface Program {
  readonly name: string;
  readonly pid: number;
  /** Resolves with the exit code when it ends by whatever cause. */
  readonly ended: Promise<number | null>;
  /** Aborted after it has ended; the reason is a `ProgramEnded`. */
  readonly over: AbortSignal;
  /** Resolves when a line that begins with this text was printed. @throws ProgramEnded */
  printed(text: string): Promise<void>;
  /** Resolves with the address that the program names over its channel when it is ready. @throws ProgramEnded */
  ready(): Promise<string>;
  /** Ends it with SIGTERM, and with SIGKILL when that takes too long. */
  stop(): Promise<void>;
}

/** Why a program is waited for in vain. */
export class ProgramEnded extends Error {
  override readonly name = "ProgramEnded";
  /** The end of its output. */
  readonly lines: readonly string[];

  constructor(what: string, { logFile, lines }: { logFile: string; lines: readonly string[] }) {
    const shown = lines.length === 0 ? "" : `; its last lines:\n${lines.map((line) => `  ${line}`).join("\n")}`;
    super(`${what} (log: ${logFile})${shown}`);
    this.lines = lines;
  }
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
  const logFile = join(directory, `${name}.log`);
  const lastLines = lastLinesOf(keptIn(child, logFile));
  const ended = once(child, "exit").then(([code]) => (typeof code === "number" ? code : null));
  const over = endOf(child, ended, (code) => {
    return new ProgramEnded(`the ${name} ended with exit code ${code ?? "none"}`, { logFile, lines: lastLines() });
  });
  const address = addressOf(child);
  return {
    name,
    pid: child.pid ?? 0,
    ended,
    over,
    printed: (text) => beforeEnd(linePrinted(child, text), over),
    ready: () => beforeEnd(address, over),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      const late = delay(STOP_MS, "late", { ref: false });
      if ((await Promise.race([ended, late])) === "late") child.kill("SIGKILL");
      await ended;
    },
  };
}

/** @returns its output, which goes to the file too */
function keptIn({ stdout, stderr }: ChildProcess, logFile: string) {
  if (stdout === null || stderr === null) throw new Error(`a program with the log ${logFile} has no output`);
  const log = createWriteStream(logFile, { flags: "a", mode: 0o600 });
  stdout.pipe(log, { end: false });
  stderr.pipe(log, { end: false });
  return [stdout, stderr];
}

/** @returns a signal that is aborted when the program has ended and all that it wrote was read */
function endOf(child: ChildProcess, ended: Promise<number | null>, why: (code: number | null) => Error): AbortSignal {
  const over = new AbortController();
  void abortAtEnd();
  return over.signal;

  async function abortAtEnd(): Promise<void> {
    const closed = once(child, "close");
    const code = await ended;
    await Promise.race([closed, delay(REST_MS, undefined, { ref: false })]);
    over.abort(why(code));
  }
}

const readyMessage = z.object({ ready: z.string() });

function addressOf(child: ChildProcess): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  child.on("message", (message) => {
    const { data } = readyMessage.safeParse(message);
    if (data !== undefined) resolve(data.ready);
  });
  return promise;
}

function linePrinted({ stdout }: ChildProcess, text: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let output = "";
  stdout?.on("data", (chunk: Buffer) => {
    output += chunk.toString();
    if (output.includes(text)) resolve();
  });
  return promise;
}

async function beforeEnd<Result>(awaited: Promise<Result>, over: AbortSignal): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const fail = (): void => reject(over.reason);
  if (over.aborted) fail();
  over.addEventListener("abort", fail, { once: true });
  try {
    return await Promise.race([awaited, promise]);
  } finally {
    over.removeEventListener("abort", fail);
  }
}
