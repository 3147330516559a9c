// Keeps the request log in one partition per day (UTC), so that old days are dropped instead of deleted row by row.
import { setTimeout as delay } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";
import type { Clock } from "../concurrency/clock.js";

const DAY_MS = 86_400_000;
/** Dropping or emptying a partition waits for its readers, and writers wait for the drop: at most this long at a time. */
const LOCK_WAIT_MS = 100;
const ATTEMPTS = 60;
const ATTEMPT_EVERY_MS = 1_000;
/** `lock_not_available` */
const LOCK_TIMEOUT = "55P03";
const PARTITION_NAME = /^request_log_(\d{4})(\d{2})(\d{2})$/;

/** Creates the partition of a day (`2026-11-21`) unless it exists, and moves rows of that day from the default partition into it. */
export async function ensureRequestLogPartition(pool: Pool, day: string): Promise<void> {
  const name = partitionOf(day);
  if (await isThere(pool, name)) return;
  await inTransaction(pool, async (client) => {
    await client.query(`select pg_advisory_xact_lock(hashtext('request_log partitions'))`);
    if (!(await isThere(client, name))) await makePartition(client, { name, day });
  });
}

/** Queries the catalogue: `to_regclass` may cache a missing name for the whole transaction. */
async function isThere(database: Pool | PoolClient, name: string): Promise<boolean> {
  const { rowCount } = await database.query(
    `select from pg_class where relname = $1 and relnamespace = current_schema()::regnamespace`,
    [name],
  );
  return rowCount === 1;
}

/**
 * Drops the days that are completely older than the retention, without delaying writers for long.
 * @returns the names of the dropped partitions
 * @throws Error when a partition has readers all the time
 */
export async function pruneRequestLog(
  { pool, clock }: { pool: Pool; clock: Clock },
  keepDays: number,
): Promise<string[]> {
  const oldestKept = new Date(clock.now().getTime() - keepDays * DAY_MS);
  const expired = (await readPartitions(pool)).map(({ name }) => name).filter((name) => isOver(name, oldestKept));
  for (const name of expired) await dropPartition(pool, name);
  await pool.query(`delete from request_log_rest where at < $1`, [oldestKept]);
  return expired;
}

/** A partition, as the disk has it. */
interface Partition {
  readonly name: string;
  /** With its indexes. */
  readonly bytes: number;
}

async function readPartitions(pool: Pool): Promise<readonly Partition[]> {
  const { rows } = await pool.query<Partition>(`
    select inhrelid::regclass::text as name, pg_total_relation_size(inhrelid)::float8 as bytes
    from pg_inherits where inhparent = 'request_log'::regclass order by 1`);
  return rows;
}

/** The request log after a step of its shrinking. */
interface Shrunk {
  /** What it takes. */
  readonly bytes: number;
  /** The day (`2026-11-21`) that was dropped last; null: none. */
  readonly droppedThrough: string | null;
}

/**
 * Drops the oldest days until the log is within its budget. The present day comes last: its rows go, and its partition stays, since
 * writers have found it there.
 * @returns the log as it is found, and after each day that is dropped
 * @throws Error when a partition has readers all the time
 */
export async function* shrinkRequestLog(
  { pool, clock }: { pool: Pool; clock: Clock },
  mostBytes: number,
): AsyncGenerator<Shrunk> {
  const partitions = await readPartitions(pool);
  const today = partitionOf(clock.now().toISOString().slice(0, 10));
  let bytes = partitions.reduce((sum, partition) => sum + partition.bytes, 0);
  yield { bytes, droppedThrough: null };
  for (const partition of partitions) {
    const [name, year, month, day] = PARTITION_NAME.exec(partition.name) ?? [];
    if (name === undefined) continue;
    if (bytes <= mostBytes) return;
    await (name < today ? dropPartition(pool, name) : emptyPartition(pool, name));
    bytes -= partition.bytes;
    yield { bytes, droppedThrough: `${year}-${month}-${day}` };
  }
}

const dropPartition = (pool: Pool, name: string): Promise<void> => betweenReaders(pool, `drop table if exists ${name}`);

const emptyPartition = (pool: Pool, name: string): Promise<void> => betweenReaders(pool, `truncate table ${name}`);

async function betweenReaders(pool: Pool, statement: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await inTransaction(pool, async (client) => {
        await client.query(`set local lock_timeout = ${LOCK_WAIT_MS}`);
        await client.query(statement);
      });
      return;
    } catch (error) {
      if (attempt === ATTEMPTS || !isLockTimeout(error)) throw error;
    }
    await delay(ATTEMPT_EVERY_MS);
  }
}

const isLockTimeout = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === LOCK_TIMEOUT;

function isOver(name: string, oldestKept: Date): boolean {
  const [, year, month, day] = PARTITION_NAME.exec(name) ?? [];
  if (year === undefined) return false;
  return Date.parse(`${year}-${month}-${day}`) + DAY_MS <= oldestKept.getTime();
}

const partitionOf = (day: string): string => `request_log_${day.replaceAll("-", "")}`;

async function makePartition(client: PoolClient, { name, day }: { name: string; day: string }): Promise<void> {
  const [from, to] = [day, new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10)].map(
    (text) => `'${text} 00:00+00'`,
  );
  await client.query(`create table ${name} (like request_log including defaults including constraints)`);
  await client.query(`
    with moved as (delete from request_log_rest where at >= ${from} and at < ${to} returning *)
    insert into ${name} select * from moved`);
  await client.query(`alter table request_log attach partition ${name} for values from (${from}) to (${to})`);
}

async function inTransaction(pool: Pool, work: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await work(client);
    await client.query("commit");
    client.release();
  } catch (error) {
    // The transaction ends with its connection, whatever state that is in.
    client.release(true);
    throw error;
  }
}
