// Decides under which account of the machine PostgreSQL runs: it refuses root, so root lends it another one.
import { readFile, stat } from "node:fs/promises";

/** An account of the operating system. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  /** Whether the service must switch to it to start a process. */
  readonly switched: boolean;
}

const PREFERRED_NAMES = ["postgres", "nobody"];

/**
 * The service's own account; for root the owner of an existing cluster, else `postgres`, else `nobody`.
 * @throws Error when root finds no account to lend
 */
export async function postgresAccount(clusterDirectory: string): Promise<Account> {
  const uid = process.getuid?.() ?? 0;
  const gid = process.getgid?.() ?? 0;
  if (uid !== 0) return { name: `uid ${uid}`, uid, gid, switched: false };
  const accounts = await systemAccounts();
  const ownerUid = await ownerOf(clusterDirectory);
  const found =
    accounts.find((account) => account.uid === ownerUid && account.uid !== 0) ??
    PREFERRED_NAMES.map((name) => accounts.find((account) => account.name === name)).find(
      (account) => account !== undefined,
    );
  if (found === undefined) {
    throw new Error(
      "PostgreSQL does not run as root and there is no account `postgres` or `nobody`: run the service as a plain user, or set DATABASE_URL",
    );
  }
  return found;
}

/** What `spawn` needs to run a process under the account. */
export function identityOf(account: Account): { uid?: number; gid?: number } {
  return account.switched ? { uid: account.uid, gid: account.gid } : {};
}

async function systemAccounts(): Promise<Account[]> {
  const lines = (await readFile("/etc/passwd", "utf8")).split("\n");
  return lines.flatMap((line) => {
    const [name, , uid, gid] = line.split(":");
    if (name === undefined || uid === undefined || gid === undefined) return [];
    return [{ name, uid: Number(uid), gid: Number(gid), switched: true }];
  });
}

/** The uid that owns what is at the path; null when there is nothing. */
export async function ownerOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).uid;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Whether an error of the file system says that the file is not there. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
