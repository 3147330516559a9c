// What is known of hosts when something is decided about them: whether they are there, switched on or at work, and how they are reached.
import { sql } from "kysely";
import { JobStatus, MigrationStatus } from "../../core/enums.js";
import { rowOf, rowsOf, tables, type Connection } from "../tables.js";

const idOf = (id: number) => tables.selectFrom("host").select("id").where("id", "=", id);

/** Whether there is such a host. */
export const isThere = async (connection: Connection, id: number): Promise<boolean> =>
  (await rowOf(connection, idOf(id))) !== null;

/** Those of these ids that no host has, in their order. */
export async function unknownOf(connection: Connection, ids: readonly number[]): Promise<number[]> {
  const wanted = sql<{ id: number }>`unnest(${ids}::int[])`.as<"wanted">(sql`wanted (id)`);
  const unknown = tables
    .selectFrom(wanted)
    .select("id")
    .where("id", "not in", (db) => db.selectFrom("host").select("id"));
  return (await rowsOf(connection, unknown)).map(({ id }) => id);
}

/**
 * Holds a host's row until the transaction ends: transactions that hold it follow one another, and jobs for the host are made
 * meanwhile.
 * @returns false when there is none
 */
export const hold = async (connection: Connection, id: number): Promise<boolean> =>
  (await rowOf(connection, idOf(id).forNoKeyUpdate())) !== null;

/** Whether a host is switched on, with its name. */
interface Activity {
  readonly name: string;
  readonly active: boolean;
}

/** @returns null when there is no such host */
export const activity = (connection: Connection, id: number): Promise<Activity | null> =>
  rowOf(connection, tables.selectFrom("host").select(["name", "active"]).where("id", "=", id));

/** A host's record as far as its operator sets it. */
export interface HostRow extends Activity {
  readonly allowUnrestrictedMoveToken: boolean;
  readonly hostname: string;
  readonly port: number;
  readonly user: string;
  readonly tlsFingerprint: string | null;
  /** Null: the secret is a password. */
  readonly tokenId: string | null;
  /** Sealed. */
  readonly secret: string;
}

/** @returns null when there is no such host */
export const find = (connection: Connection, id: number): Promise<HostRow | null> =>
  rowOf(
    connection,
    tables
      .selectFrom("host")
      .select(["name", "active", "allow_unrestricted_move_token as allowUnrestrictedMoveToken"])
      .select(["hostname", "port", "user_name as user", "tls_fingerprint as tlsFingerprint"])
      .select(["token_id as tokenId", "secret_encrypted as secret"])
      .where("id", "=", id),
  );

/** Whether jobs wait or run that need a host. A move is the source's job: its target is at work too. */
export async function isAtWork(connection: Connection, id: number): Promise<boolean> {
  const moves = tables
    .selectFrom("migration")
    .select("id")
    .where("target_host_id", "=", id)
    .where("status", "in", [sql.lit(MigrationStatus.QUEUED), sql.lit(MigrationStatus.RUNNING)]);
  const work = tables
    .selectFrom("job")
    .select("id")
    .where("host_id", "=", id)
    .where("status", "in", [sql.lit(JobStatus.QUEUED), sql.lit(JobStatus.RUNNING)])
    .unionAll(moves)
    .limit(1);
  return (await rowOf(connection, work)) !== null;
}

/** Whether guests are being moved from or to a host. */
export async function isMovingGuests(connection: Connection, id: number): Promise<boolean> {
  const moves = tables
    .selectFrom("migration")
    .select("id")
    .where((row) => row.or([row("source_host_id", "=", id), row("target_host_id", "=", id)]))
    .where("status", "=", sql.lit(MigrationStatus.RUNNING))
    .limit(1);
  return (await rowOf(connection, moves)) !== null;
}
