// Makes a PostgreSQL cluster completely or not at all: it is prepared in another folder and moved into place when it is ready.
import { execFile } from "node:child_process";
import { chmod, chown, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { identityOf, type Account } from "./account.js";

const run = promisify(execFile);

/** Name of the superuser that the service signs in as. */
export const DATABASE_USER = "drover";

interface ClusterRequest {
  readonly program: string;
  readonly cluster: string;
  readonly account: Account;
  readonly password: string;
  /** False leaves out waiting for the disk: for throw-away clusters. */
  readonly durable: boolean;
}

/** Makes a cluster (UTF-8, passwords by SCRAM, locale-independent order). @throws Error with what initdb says */
export async function makeCluster(request: ClusterRequest): Promise<void> {
  const draft = `${request.cluster}.unfinished`;
  const passwordFile = `${request.cluster}.initial-password`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  await chmod(draft, 0o700);
  await rm(passwordFile, { force: true });
  await writeFile(passwordFile, request.password, { mode: 0o600, flag: "wx" });
  try {
    for (const path of [draft, passwordFile]) await chown(path, request.account.uid, request.account.gid);
    await initialize(request, draft, passwordFile);
    await rename(draft, request.cluster);
  } finally {
    await rm(passwordFile, { force: true });
    await rm(draft, { recursive: true, force: true });
  }
}

async function initialize(
  { program, account, durable }: ClusterRequest,
  directory: string,
  passwordFile: string,
): Promise<void> {
  const options = [
    `--pgdata=${directory}`,
    `--username=${DATABASE_USER}`,
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
    ...(durable ? [] : ["--no-sync"]),
  ];
  try {
    await run(program, options, {
      ...identityOf(account),
      cwd: dirname(directory),
      env: { PATH: "/usr/bin:/bin", TZ: "UTC", LC_ALL: "C" },
    });
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    throw new Error(`The embedded PostgreSQL cannot be set up as ${account.name}: ${said}`, { cause: error });
  }
}
