// Starts, finds and ends the server process of a cluster; what it knows of a running one it reads from postmaster.pid and /proc.
import { spawn, type ChildProcess } from "node:child_process";
import { open, readFile, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { identityOf, isMissing, type Account } from "./account.js";

/** After a crash up to a gigabyte of write-ahead log is replayed, on a slow disk for minutes; ended in it, the replay begins again. */
const START_TIMEOUT_MS = 600_000;
const FAST_STOP_MS = 10_000;
const IMMEDIATE_STOP_MS = 5_000;
const POLL_MS = 15;
const LARGEST_LOG_BYTES = 10 * 1024 * 1024;

/** A running server process. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
}

/** The server that runs on the cluster; null when none does. */
export async function runningPostmaster(cluster: string): Promise<(Postmaster & { ready: boolean }) | null> {
  const [pidLine, , , portLine, , , , state] = (await textOf(join(cluster, "postmaster.pid"))).split("\n");
  const pid = Number(pidLine);
  if (!Number.isInteger(pid) || pid <= 1 || !(await worksIn(pid, cluster))) return null;
  const port = Number(portLine ?? "");
  return { pid, port, ready: state?.trim() === "ready" && port > 0 };
}

/** A postmaster's working directory is its cluster: another process that got the number of a dead one has another. */
async function worksIn(pid: number, cluster: string): Promise<boolean> {
  try {
    return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(cluster));
  } catch {
    // Gone, a zombie, or another account's process: in every case not the server of this cluster.
    return false;
  }
}

interface StartRequest {
  readonly program: string;
  readonly cluster: string;
  readonly account: Account;
  readonly port: number;
  /** Settings as `postgres -c name=value` takes them. */
  readonly settings: Readonly<Record<string, string>>;
  readonly logFile: string;
}

/**
 * Starts a server in a session of its own (Ctrl-C does not reach it) and waits until it takes connections.
 * @throws Error with the end of its log
 */
export async function startPostmaster(request: StartRequest): Promise<Postmaster> {
  const { cluster } = request;
  if ((await runningPostmaster(cluster)) === null) await rm(join(cluster, "postmaster.pid"), { force: true });
  const { child, readLog } = await spawned(request);
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (child.exitCode === null && child.signalCode === null) {
    const running = await runningPostmaster(cluster);
    if (running?.ready === true && running.pid === child.pid) return running;
    if (Date.now() > deadline) {
      child.kill("SIGQUIT");
      throw new Error(`PostgreSQL did not start within ${START_TIMEOUT_MS} ms:\n${await readLog()}`);
    }
    await delay(POLL_MS);
  }
  throw new Error(`PostgreSQL did not start:\n${await readLog()}`);
}

async function spawned({ program, cluster, account, port, settings, logFile }: StartRequest): Promise<{
  child: ChildProcess;
  readLog: () => Promise<string>;
}> {
  const begin = await roomyLog(logFile);
  const output = await open(logFile, "a", 0o600);
  try {
    const all = { ...settings, port: String(port) };
    const child = spawn(
      program,
      ["-D", cluster, ...Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
      {
        ...identityOf(account),
        cwd: cluster,
        detached: true,
        stdio: ["ignore", output.fd, output.fd],
        env: { PATH: "/usr/bin:/bin", TZ: "UTC", LC_ALL: "C" },
      },
    );
    await new Promise((resolve, reject) => child.once("spawn", resolve).once("error", reject));
    child.unref();
    return { child, readLog: async () => (await readFile(logFile)).subarray(begin).toString().trim() };
  } finally {
    await output.close();
  }
}

/** The size of the log; one that has grown too large is set aside first. */
async function roomyLog(logFile: string): Promise<number> {
  try {
    const { size } = await stat(logFile);
    if (size < LARGEST_LOG_BYTES) return size;
    await rename(logFile, `${logFile}.old`);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  return 0;
}

/** Ends the server: open transactions are rolled back; if that takes too long, it recovers at its next start. */
export async function stopPostmaster(cluster: string): Promise<void> {
  for (const [signal, patience] of [
    ["SIGINT", FAST_STOP_MS],
    ["SIGQUIT", IMMEDIATE_STOP_MS],
    ["SIGKILL", IMMEDIATE_STOP_MS],
  ] as const) {
    const running = await runningPostmaster(cluster);
    if (running === null) return;
    if (!sent(running.pid, signal)) return;
    const deadline = Date.now() + patience;
    while (Date.now() < deadline) {
      if ((await runningPostmaster(cluster))?.pid !== running.pid) return;
      await delay(POLL_MS);
    }
  }
  throw new Error(`The PostgreSQL server of ${cluster} does not end`);
}

function sent(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return "";
    throw error;
  }
}
