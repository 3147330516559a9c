// Reads once for all who ask the same while it is being read: a page that many look at costs no more than one reading after the other.
import type { Pool, QueryConfig, QueryResultRow } from "pg";
import { Departure, readUnlessLeft } from "./db/departure.js";

/** Sends a statement that only reads, and that has the same answer for all who send it with the same values. */
export interface SharedReads {
  /**
   * The reading begins after the call, so that it sees whatever the caller has written or heard of.
   * @param key stands for the statement and its values
   * @param departure of who asks; a reading that all have left is given up
   * @throws the departure's reason, once this caller has left
   */
  rows<Columns extends object>(key: string, statement: QueryConfig, departure?: Departure): Promise<readonly Columns[]>;
}

const ofPools = new WeakMap<Pool, SharedReads>();

/** The readings of all who use this pool. */
export function sharedReads(pool: Pool): SharedReads {
  const known = ofPools.get(pool) ?? sharedReadsOf(pool);
  ofPools.set(pool, known);
  return known;
}

function sharedReadsOf(pool: Pool): SharedReads {
  const gathering = new Map<string, Reading>();
  const underWay = new Map<string, Promise<unknown>>();

  /** Begins after everything that is happening now, and after a reading of the same that may have looked too early. */
  async function begin(key: string, statement: QueryConfig, reading: Reading): Promise<readonly QueryResultRow[]> {
    await nextTurn();
    await underWay.get(key);
    leaveGathering(key, reading);
    reading.refuseDeserted();
    const found = reading.mayBeDeserted ? readUnlessLeft(pool, statement, reading.departure) : pool.query(statement);
    const ended = (): boolean => underWay.delete(key);
    underWay.set(key, found.then(ended, ended));
    const { rows } = await found;
    return rows;
  }

  function gather(key: string, statement: QueryConfig): Reading {
    const reading: Reading = new Reading(() => leaveGathering(key, reading));
    gathering.set(key, reading);
    reading.follow(begin(key, statement, reading));
    return reading;
  }

  function leaveGathering(key: string, reading: Reading): void {
    if (gathering.get(key) === reading) gathering.delete(key);
  }

  return {
    rows: <Columns extends object>(key: string, statement: QueryConfig, departure?: Departure) =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one statement has one shape of row
      (gathering.get(key) ?? gather(key, statement)).join(departure) as Promise<readonly Columns[]>,
  };
}

/** One reading, and those who wait for it. */
class Reading {
  /** All have left. */
  readonly departure = new Departure();
  readonly #found = Promise.withResolvers<readonly QueryResultRow[]>();
  readonly #deserted: () => void;
  #waiting = 0;
  #mayBeDeserted = true;

  constructor(deserted: () => void) {
    this.#deserted = deserted;
  }

  /** False: somebody waits who never leaves. */
  get mayBeDeserted(): boolean {
    return this.#mayBeDeserted;
  }

  /** @throws the reason of the last who left, if all have */
  refuseDeserted(): void {
    if (this.departure.reason !== null) throw this.departure.reason;
  }

  follow(rows: Promise<readonly QueryResultRow[]>): void {
    this.#found.resolve(rows);
  }

  join(departure: Departure | undefined): Promise<readonly QueryResultRow[]> {
    this.#waiting++;
    if (departure === undefined) {
      this.#mayBeDeserted = false;
      return this.#found.promise;
    }
    const { promise, resolve, reject } = Promise.withResolvers<readonly QueryResultRow[]>();
    const leave = (): void => {
      reject(departure.reason);
      this.#leave(departure);
    };
    if (departure.reason !== null) leave();
    else departure.on(leave);
    const end = (): void => departure.off(leave);
    this.#found.promise.then(resolve, reject).then(end, end);
    return promise;
  }

  #leave({ reason }: Departure): void {
    if (--this.#waiting > 0 || reason === null) return;
    this.#deserted();
    this.departure.leave(reason);
  }
}

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });
