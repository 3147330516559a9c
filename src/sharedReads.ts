// Reads once for all who ask the same while it is being read: a page that many look at costs no more than one reading after the other.
import type { Pool, QueryConfig, QueryResultRow } from "pg";
import { readUnlessLeft, type Departure } from "./db/departure.js";
import { SharedWork } from "./sharedWork.js";

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
  const readings = new SharedWork<readonly QueryResultRow[]>();

  async function read(statement: QueryConfig, allLeft: Departure | null): Promise<readonly QueryResultRow[]> {
    const { rows } = await (allLeft === null ? pool.query(statement) : readUnlessLeft(pool, statement, allLeft));
    return rows;
  }

  return {
    rows: <Columns extends object>(key: string, statement: QueryConfig, departure?: Departure) =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one statement has one shape of row
      readings.join(key, (allLeft) => read(statement, allLeft), departure) as Promise<readonly Columns[]>,
  };
}
