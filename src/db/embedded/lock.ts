// Locks between the processes of one machine that the kernel frees however a process ends: names in Linux' abstract socket space.
import { createHash } from "node:crypto";
import { createServer, type Server } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const RETRY_MS = 50;

/** A lock that is held. */
export interface Lock {
  release(): Promise<void>;
}

/** Takes the lock `purpose` of a directory; null when another process holds it. */
export async function tryLock(purpose: string, directory: string): Promise<Lock | null> {
  const name = createHash("sha256").update(directory).digest("hex").slice(0, 32);
  const server = createServer((socket) => socket.destroy());
  return (await listens(server, `\0drover-${purpose}-${name}`)) ? { release: () => closed(server) } : null;
}

/** Runs `work` while holding the lock; waits for it. @throws Error when it is not free in time */
export async function withLock<Result>(
  { purpose, directory, waitMs }: { purpose: string; directory: string; waitMs: number },
  work: () => Promise<Result>,
): Promise<Result> {
  const deadline = Date.now() + waitMs;
  let lock = await tryLock(purpose, directory);
  while (lock === null) {
    if (Date.now() > deadline) throw new Error(`Another process has been busy with ${directory} for ${waitMs} ms`);
    await delay(RETRY_MS);
    lock = await tryLock(purpose, directory);
  }
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

function listens(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(false) : reject(error),
    );
    server.listen(path, () => resolve(true));
    server.unref();
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
