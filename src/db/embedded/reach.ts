// Finds out whether another account can get to a path, and where to go instead when it cannot.
import { randomBytes } from "node:crypto";
import { chmod, mkdir, realpath, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Stats } from "node:fs";
import type { Account } from "./account.js";

const SYSTEM_STATE = "/var/lib/drover";

/** The outermost directory on the way to `path` that the account may not pass; null when it gets there. */
export async function blockedAt(path: string, account: Account): Promise<string | null> {
  if (!account.switched) return null;
  const way: string[] = [];
  for (let at = await realpath(path); !way.includes(at); at = dirname(at)) way.push(at);
  for (const directory of way.toReversed()) {
    const found = await stat(directory);
    if (found.isDirectory() && !mayPass(found, account)) return directory;
  }
  return null;
}

function mayPass(directory: Stats, account: Account): boolean {
  if (directory.uid === account.uid) return (directory.mode & 0o100) !== 0;
  if (directory.gid === account.gid) return (directory.mode & 0o010) !== 0;
  return (directory.mode & 0o001) !== 0;
}

/** Lets PostgreSQL's account pass through the service's own directory (not list it). */
export async function makePassable(directory: string, account: Account): Promise<void> {
  const { mode } = await stat(directory);
  if (account.switched && (mode & 0o001) === 0) await chmod(directory, (mode & 0o777) | 0o001);
}

/** A new directory that every account can get to, under `/var/lib/drover`, else under the temporary directory. */
export async function makeReachable(purpose: string): Promise<string> {
  const name = `${purpose}-${randomBytes(6).toString("hex")}`;
  try {
    return await makeOpen(SYSTEM_STATE, name);
  } catch {
    // A read-only or foreign /var/lib: the temporary directory is the last resort.
    return makeOpen(tmpdir(), `drover-${name}`);
  }
}

async function makeOpen(parent: string, name: string): Promise<string> {
  const made = await mkdir(parent, { recursive: true });
  if (made !== undefined) await chmod(parent, 0o711);
  const directory = join(parent, name);
  await mkdir(directory);
  await chmod(directory, 0o711);
  return directory;
}
