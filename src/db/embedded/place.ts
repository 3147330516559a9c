// Decides where the embedded cluster lies: in the data directory, or elsewhere if PostgreSQL's account cannot reach it, which is then remembered.
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { Logger } from "../../observability/log.js";
import { isMissing, ownerOf, postgresAccount, type Account } from "./account.js";
import { makeDataDirectory } from "./dataDirectory.js";
import { blockedAt, makePassable, makeReachable } from "./reach.js";

const remembered = z.object({ cluster: z.string().optional(), programs: z.string().optional() });
type Remembered = z.infer<typeof remembered>;

/** The files of one embedded database. */
export interface Place {
  readonly dataDirectory: string;
  readonly cluster: string;
  readonly account: Account;
  readonly logFile: string;
  readonly passwordFile: string;
}

/** Makes the data directory and finds the cluster's place. @throws Error when it cannot be used, or an existing cluster cannot be reached */
export async function findPlace(givenDirectory: string, log: Logger): Promise<Place> {
  const dataDirectory = await makeDataDirectory(givenDirectory);
  const inside = join(dataDirectory, "postgres");
  const elsewhere = (await readRemembered(dataDirectory)).cluster;
  const account = await postgresAccount(elsewhere ?? inside);
  await refuseForeignCluster(elsewhere ?? inside, account);
  await makePassable(dataDirectory, account);
  const cluster = elsewhere ?? (await reachableCluster(inside, account, log));
  return {
    dataDirectory,
    cluster,
    account,
    logFile: join(dataDirectory, "postgres.log"),
    passwordFile: join(dataDirectory, "postgres.password"),
  };
}

async function refuseForeignCluster(cluster: string, account: Account): Promise<void> {
  const owner = await ownerOf(cluster);
  if (owner === null || owner === account.uid) return;
  throw new Error(
    `${cluster} belongs to the account with uid ${owner}: run the service as that one, or set DROVER_DATA`,
  );
}

async function reachableCluster(inside: string, account: Account, log: Logger): Promise<string> {
  const dataDirectory = dirname(inside);
  const obstacle = await blockedAt(dataDirectory, account);
  if (obstacle === null) return inside;
  if (await isThere(inside)) {
    throw new Error(
      `${inside} cannot be reached by ${account.name}, which PostgreSQL runs as: open ${obstacle} (chmod o+x)`,
    );
  }
  const cluster = join(await makeReachable("postgres"), "postgres");
  await remember(dataDirectory, { cluster });
  log.warn(
    { obstacle, cluster, account: account.name },
    "PostgreSQL cannot reach the data directory: its cluster is elsewhere",
  );
  return cluster;
}

/** Where the copied programs of PostgreSQL lie, for an account that cannot use those in node_modules. */
export async function programsPlace(place: Place): Promise<{
  known: string | null;
  remember(directory: string): Promise<void>;
}> {
  const { programs } = await readRemembered(place.dataDirectory);
  return {
    known: programs ?? (place.account.switched ? null : place.dataDirectory),
    remember: (directory) => remember(place.dataDirectory, { programs: directory }),
  };
}

/** Removes the cluster and everything that was put outside the data directory for it. The server must have ended. */
export async function removePlace(place: Place): Promise<void> {
  const { cluster, programs } = await readRemembered(place.dataDirectory);
  const outside = [programs, cluster === undefined ? undefined : dirname(cluster)];
  for (const path of [place.cluster, place.passwordFile, ...outside]) {
    if (path !== undefined) await rm(path, { recursive: true, force: true });
  }
  await rm(rememberedFile(place.dataDirectory), { force: true });
}

/** Whether there is something at the path. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function rememberedFile(dataDirectory: string): string {
  return join(dataDirectory, "postgres.place.json");
}

async function readRemembered(dataDirectory: string): Promise<Remembered> {
  try {
    return remembered.parse(JSON.parse(await readFile(rememberedFile(dataDirectory), "utf8")));
  } catch (error) {
    if (isMissing(error)) return {};
    throw error;
  }
}

async function remember(dataDirectory: string, news: Remembered): Promise<void> {
  const all = { ...(await readRemembered(dataDirectory)), ...news };
  await writeFile(rememberedFile(dataDirectory), `${JSON.stringify(all)}\n`, { mode: 0o600 });
}
