// Divides the connections of a pool among callers: none holds all of them, and who waits is served in turn.
import type { Pool, PoolClient } from "pg";
import { chargedCaller } from "../concurrency/callerScope.js";
import { FairLine } from "../concurrency/fairLine.js";
import { DroverError } from "../errors/errors.js";
import { databaseRefusals } from "../observability/metrics.js";

/** Connections that one caller leaves to the others, and most that all unknown callers hold together. */
const LEFT_TO_OTHERS = 4;
const UNKNOWN_AT_ONCE = 4;
const MOST_WAITING = 2_000;
/** The service's own work, such as writing heartbeats, may have all. */
const SERVICE = "service";
const UNKNOWN = "unknown";

type Connected = Parameters<Pool["connect"]>[0];
type GiveBack = () => void;

interface Sharing {
  /** Connections of the pool. */
  readonly size: number;
  /** Longest wait for one, milliseconds. */
  readonly longestMs: number;
}

/** Every connection that the pool gives out from now on is charged to the caller on whose behalf it is used. */
export function shareConnections(pool: Pool, sharing: Sharing): void {
  const connect: () => Promise<PoolClient> = pool.connect.bind(pool);
  const turn = turnsOf(sharing);

  async function connectInTurn(): Promise<PoolClient> {
    const giveBack = await turn();
    try {
      return releasing(await connect(), giveBack);
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  function connectShared(): Promise<PoolClient>;
  function connectShared(connected: Connected): void;
  function connectShared(connected?: Connected): Promise<PoolClient> | void {
    if (connected === undefined) return connectInTurn();
    connectInTurn().then(
      (client) => connected(undefined, client, (destroy) => client.release(destroy)),
      (error: Error) => connected(error, undefined, () => undefined),
    );
  }
  pool.connect = connectShared;
}

/** @returns what waits for the turn of the present caller. @throws Error of a pool that is full */
function turnsOf({ size, longestMs }: Sharing): () => Promise<GiveBack> {
  const most = MOST_WAITING + size;
  const bounds = { most, mostOfCaller: most, longestMs, divided: 0 };
  const all = new FairLine({ ...bounds, atOnce: size, leastShare: Math.max(1, size - LEFT_TO_OTHERS) });
  const unknown = new FairLine({ ...bounds, atOnce: UNKNOWN_AT_ONCE, leastShare: UNKNOWN_AT_ONCE });
  return async () => {
    const caller = chargedCaller();
    try {
      if (caller === null) return await all.take(SERVICE, size);
      if (caller.isKnown) return await all.take(caller.key);
      return await takeBoth(
        () => unknown.take(caller.key),
        () => all.take(UNKNOWN),
      );
    } catch (error) {
      if (!(error instanceof DroverError)) throw error;
      databaseRefusals.inc();
      throw new Error("too many wait for a database connection", { cause: error });
    }
  };
}

async function takeBoth(first: () => Promise<GiveBack>, second: () => Promise<GiveBack>): Promise<GiveBack> {
  const giveBackFirst = await first();
  try {
    const giveBackSecond = await second();
    return () => {
      giveBackSecond();
      giveBackFirst();
    };
  } catch (error) {
    giveBackFirst();
    throw error;
  }
}

/** The pool sets `release` of a client again with each use. */
function releasing(client: PoolClient, giveBack: GiveBack): PoolClient {
  const release = client.release.bind(client);
  client.release = (destroy) => {
    release(destroy);
    giveBack();
  };
  return client;
}
