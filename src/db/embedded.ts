// Runs the embedded PostgreSQL of a data directory: starts it or takes over a living one, watches it, ends it.
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../observability/log.js";
import { usableBinaries } from "./embedded/binaries.js";
import { DATABASE_USER, makeCluster } from "./embedded/cluster.js";
import { keptSecret, readSecret } from "./embedded/keptSecret.js";
import { tryLock, withLock, type Lock } from "./embedded/lock.js";
import { findPlace, isThere, programsPlace, removePlace, type Place } from "./embedded/place.js";
import { runningPostmaster, startPostmaster, stopPostmaster, type Postmaster } from "./embedded/postmaster.js";
import { connectPresence, type Presence } from "./embedded/presence.js";

const DATABASE = "drover";
const WATCH_MS = 300;
const START_ATTEMPTS = 40;
const BETWEEN_ATTEMPTS_MS = 250;
const LOCK_WAIT_MS = 90_000;
const OTHER_SERVICE_WAIT_MS = 3_000;

/** Reachable by password over loopback only. */
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "100",
  timezone: "UTC",
  log_timezone: "UTC",
  // Small statements only; containers often have too little /dev/shm for parallel ones.
  max_parallel_workers_per_gather: "0",
};

export interface EmbeddedOptions {
  readonly dataDirectory: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly log: Logger;
  /** More settings of the server, as in postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
  /** False: a throw-away cluster that need not survive a power cut. */
  readonly durable?: boolean;
}

/** A running embedded server. */
export interface EmbeddedPostgres {
  /** Connection URL of the service's database, with its password. */
  readonly url: string;
  /** Ends the use of the server, and the server itself unless others go on using it. */
  stop(): Promise<void>;
}

/**
 * Starts the server for a service, or takes over the one that a killed service left behind, and starts it again when it dies.
 * @throws Error when another service uses the data directory, or with the server's own words
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const place = await findPlace(options.dataDirectory, options.log);
  const lock = await serviceLock(place);
  try {
    const { url, postmaster, presence } = await ensureRunning(place, options);
    await presence.end();
    const watching = new AbortController();
    const watch = watchOver(place, { ...options, port: postmaster.port }, watching.signal);
    return {
      url,
      async stop() {
        watching.abort();
        await watch;
        await stopPostmaster(place.cluster);
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Uses the server beside a service that may run or not: the last user ends a server that no service has. */
export async function borrowEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const place = await findPlace(options.dataDirectory, options.log);
  // An open connection shows other borrowers that the server is in use.
  const { url, presence } = await ensureRunning(place, { ...options, port: 0 });
  return { url, stop: () => withLock(startLock(place), () => leave(place, presence)) };
}

/** Removes the embedded database with all its data. @throws Error when a service uses it */
export async function eraseEmbeddedPostgres(dataDirectory: string, log: Logger): Promise<void> {
  const place = await findPlace(dataDirectory, log);
  const lock = await serviceLock(place);
  try {
    await stopPostmaster(place.cluster);
    await removePlace(place);
  } finally {
    await lock.release();
  }
}

/** Process id of the running server; null when none runs. */
export async function embeddedServerPid(dataDirectory: string, log: Logger): Promise<number | null> {
  const { cluster } = await findPlace(dataDirectory, log);
  return (await runningPostmaster(cluster))?.pid ?? null;
}

async function serviceLock({ dataDirectory }: Place): Promise<Lock> {
  const deadline = Date.now() + OTHER_SERVICE_WAIT_MS;
  for (;;) {
    const lock = await tryLock("service", dataDirectory);
    if (lock !== null) return lock;
    if (Date.now() > deadline) {
      throw new Error(`Another Drover service uses ${dataDirectory}: end it, or set DROVER_DATA or DATABASE_URL`);
    }
    await delay(BETWEEN_ATTEMPTS_MS);
  }
}

const startLock = ({ dataDirectory }: Place): { purpose: string; directory: string; waitMs: number } => ({
  purpose: "start",
  directory: dataDirectory,
  waitMs: LOCK_WAIT_MS,
});

async function leave(place: Place, presence: Presence): Promise<void> {
  const lock = await tryLock("service", place.dataDirectory);
  try {
    if (lock !== null && (await presence.isAlone())) await stopPostmaster(place.cluster);
    await presence.end();
  } finally {
    await lock?.release();
  }
}

interface Running {
  readonly url: string;
  readonly postmaster: Postmaster;
  readonly presence: Presence;
}

async function ensureRunning(place: Place, options: EmbeddedOptions): Promise<Running> {
  return withLock(startLock(place), async () => {
    const postmaster = (await livingServer(place, options)) ?? (await startServer(place, options));
    const password = await keptSecret(place.passwordFile);
    const urlOf = (database: string): string =>
      `postgres://${DATABASE_USER}:${encodeURIComponent(password)}@127.0.0.1:${postmaster.port}/${database}`;
    const presence = await connectPresence(urlOf("postgres"));
    await presence.makeDatabase(DATABASE);
    return { url: urlOf(DATABASE), postmaster, presence };
  });
}

/** The server that runs already; one that listens on another port than is asked for is ended. */
async function livingServer(place: Place, { port, log }: EmbeddedOptions): Promise<Postmaster | null> {
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt++) {
    const running = await runningPostmaster(place.cluster);
    if (running === null) return null;
    if (running.ready && (port === 0 || running.port === port)) {
      log.info({ serverPid: running.pid, port: running.port }, "the embedded PostgreSQL runs already");
      return running;
    }
    if (running.ready) break;
    await delay(BETWEEN_ATTEMPTS_MS);
  }
  await stopPostmaster(place.cluster);
  return null;
}

async function startServer(place: Place, options: EmbeddedOptions): Promise<Postmaster> {
  const { cluster, account, logFile } = place;
  const { initdb, postgres } = await usableBinaries(account, await programsPlace(place), options.log);
  if (!(await isThere(cluster))) {
    const password = await keptSecret(place.passwordFile);
    await makeCluster({ program: initdb, cluster, account, password, durable: options.durable ?? true });
  } else if ((await readSecret(place.passwordFile)) === null) {
    throw new Error(`${place.passwordFile} is missing: put it back, or remove ${cluster} to start without its data`);
  }
  const settings = { ...SETTINGS, ...options.settings };
  for (let attempt = 1; ; attempt++) {
    try {
      const port = options.port === 0 ? await freePort() : options.port;
      const started = await startPostmaster({ program: postgres, cluster, account, logFile, settings, port });
      options.log.info(
        { serverPid: started.pid, port: started.port, cluster, account: account.name },
        "the embedded PostgreSQL runs",
      );
      return started;
    } catch (error) {
      if (!passes(error) || attempt === START_ATTEMPTS) throw error;
      await delay(BETWEEN_ATTEMPTS_MS);
    }
  }
}

/** Faults that pass by themselves: the children of a killed server are still ending, or somebody took the port. */
function passes(error: unknown): boolean {
  return (
    error instanceof Error && /shared memory block|still in use|Address already in use|lock file/i.test(error.message)
  );
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === "object" && address !== null
          ? resolve(address.port)
          : reject(new Error("no free port was assigned")),
      );
    });
  });
}

/** Starts the server again, on the same port, whenever it has died. */
async function watchOver(place: Place, options: EmbeddedOptions, signal: AbortSignal): Promise<void> {
  const pause = async (): Promise<void> => {
    await delay(WATCH_MS, undefined, { signal, ref: false }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  };
  for (await pause(); !signal.aborted; await pause()) {
    if ((await runningPostmaster(place.cluster)) !== null) continue;
    options.log.error({ cluster: place.cluster }, "the embedded PostgreSQL has died: starting it again");
    try {
      const { presence } = await ensureRunning(place, options);
      await presence.end();
    } catch (error) {
      options.log.error({ err: error }, "the embedded PostgreSQL cannot be started again yet");
    }
  }
}
