// Connected hosts.
import { sql } from "kysely";
import {
  insertedId,
  prepared,
  rowOf,
  rowsOf,
  tables,
  written,
  type Connection,
  type Given,
  type Row,
} from "../tables.js";
import type { RenewedSecret, SealedSecret, SecretPage } from "../sealedSecret.js";

/** How a host is reached. It is written as a whole: no secret meets the address of another. */
interface StoredConnection {
  readonly hostname: string;
  readonly port: number;
  readonly user: string;
  readonly tlsFingerprint: string | null;
  /** Null: the secret is a password. */
  readonly tokenId: string | null;
  /** Sealed. */
  readonly secret: string;
}

interface NewHost {
  readonly name: string;
  readonly active: boolean;
  readonly allowUnrestrictedMoveToken: boolean;
  readonly connection: StoredConnection;
}

/**
 * Adds a host; its caller syncs it, which is its first turn.
 * @returns the id
 * @throws the driver's unique violation for a name, or an address and port, that another host has
 */
export function insert(connection: Connection, { connection: reached, ...host }: NewHost): Promise<number> {
  const { name, active, allowUnrestrictedMoveToken } = host;
  const row = { name, active, allow_unrestricted_move_token: allowUnrestrictedMoveToken, ...columnsOf(reached) };
  return insertedId(
    connection,
    tables
      .insertInto("host")
      .values({ ...row, last_attempt_at: sql`now()` })
      .returning("id"),
  );
}

/** What changes of a host; what is undefined stays as it is by now, so that two changes at once do not undo each other. */
interface ChangedHost {
  readonly name: string | undefined;
  readonly active: boolean | undefined;
  readonly allowUnrestrictedMoveToken: boolean | undefined;
  readonly connection: StoredConnection | undefined;
  /** Whether the host is to be synced soon. */
  readonly isDue: boolean;
}

/** @returns false when there is no such host. @throws as `insert` */
export async function change(connection: Connection, id: number, changed: ChangedHost): Promise<boolean> {
  const { name, active, allowUnrestrictedMoveToken, connection: reached, isDue } = changed;
  const update = tables
    .updateTable("host")
    .where("id", "=", id)
    .set({
      name,
      active,
      allow_unrestricted_move_token: allowUnrestrictedMoveToken,
      ...(reached !== undefined && columnsOf(reached)),
      last_attempt_at: isDue ? null : sql.ref("last_attempt_at"),
    });
  return (await written(connection, update)) === 1;
}

const columnsOf = ({ hostname, port, user, tlsFingerprint, tokenId, secret }: StoredConnection) => ({
  hostname,
  port,
  user_name: user,
  tls_fingerprint: tlsFingerprint,
  token_id: tokenId,
  secret_encrypted: secret,
});

interface Maintenance {
  readonly on: boolean;
  readonly at: Date;
}

/** Maintenance that lasts keeps the moment of its begin. @returns false when there is no such host */
export async function setMaintenance(connection: Connection, id: number, { on, at }: Maintenance): Promise<boolean> {
  const since = sql<Date>`coalesce(maintenance_since, ${at}::timestamptz)`;
  const update = tables
    .updateTable("host")
    .set({ maintenance: on, maintenance_since: on ? since : null })
    .where("id", "=", id);
  return (await written(connection, update)) === 1;
}

/** Locks a host: a job for it that is made meanwhile waits for the end of the transaction. @returns false when there is none */
export async function lock(connection: Connection, id: number): Promise<boolean> {
  const host = tables.selectFrom("host").select("id").where("id", "=", id).forUpdate();
  return (await rowOf(connection, host)) !== null;
}

/** What a move needs to know of the host that it goes to. */
export interface TargetHost {
  readonly name: string;
  /** Whether its temporary token may have all rights of the connection. */
  readonly allowsUnrestricted: boolean;
  readonly hostname: string;
  readonly port: number;
  readonly isCluster: boolean;
  /** The certificate that the operator has pinned; null: none. */
  readonly tlsFingerprint: string | null;
}

/** The host that a move goes to. @returns null when it is no longer connected */
export const moveTarget = (connection: Connection, id: number): Promise<TargetHost | null> =>
  rowOf(
    connection,
    tables
      .selectFrom("host")
      .select(["name", "allow_unrestricted_move_token as allowsUnrestricted", "hostname", "port"])
      .select([sql<boolean>`kind = 'cluster'`.as("isCluster"), "tls_fingerprint as tlsFingerprint"])
      .where("id", "=", id),
  );

interface Turn {
  /** Between two syncs of a host. */
  readonly intervalSeconds: number;
  /** How far turns are spread, as a share of the interval. */
  readonly jitter: number;
  /** Hosts that are being synced. */
  readonly running: readonly number[];
  readonly most: number;
}

/** Takes the turns of hosts that are due, on the database's clock. A host whose row another process updates is left to it. */
const TAKE_TURNS = prepared<Turn, Pick<Row<"host">, "id">>(
  "host-turns",
  ({ intervalSeconds, jitter, running, most }) => {
    const due = tables
      .selectFrom("host")
      .select("id")
      .where("active", "=", sql.lit(true))
      .where(sql<boolean>`id <> all(${running}::integer[])`)
      .where(
        sql<boolean>`(last_attempt_at is null or last_attempt_at < now() - ${intervalSeconds}::float8 * interval '1 second')`,
      )
      .orderBy("last_attempt_at", (order) => order.nullsFirst())
      .limit(most)
      .forUpdate()
      .skipLocked();
    const moved = sql<Date>`now() + (random() - 0.5) * ${intervalSeconds}::float8 * ${jitter}::float8 * interval '1 second'`;
    return tables.updateTable("host").set({ last_attempt_at: moved }).where("id", "in", due).returning("id");
  },
);

/** @returns the hosts whose turn it is */
export async function takeTurns(connection: Connection, turn: Turn): Promise<number[]> {
  return (await rowsOf(connection, TAKE_TURNS(turn))).map(({ id }) => id);
}

/** What a sync reads of the host itself every few minutes; null: it was not read. */
export interface HostDetails {
  readonly version: string | null;
  /** The range of VMIDs for new guests, its upper bound not included. */
  readonly vmidLower: number | null;
  readonly vmidUpper: number | null;
}

/** What a sync reads of the host itself. */
export interface SyncedHost extends HostDetails {
  readonly hostId: number;
  readonly now: Date;
  readonly kind: Row<"host">["kind"];
  readonly clusterName: string | null;
  readonly quorate: boolean;
}

/** Part of a statement: a host that was synced. */
export const syncing = (given: Given<SyncedHost>) =>
  tables
    .updateTable("host")
    .set({
      last_sync_at: given.now,
      last_sync_error: null,
      same_as_host_id: null,
      ...details(given),
      kind: given.kind,
      cluster_name: given.clusterName,
      quorate: given.quorate,
    })
    .where("id", "=", given.hostId);

/** Part of a statement: what is read of a host every few minutes; what is null stays as it is. */
const details = ({ version, vmidLower, vmidUpper }: Given<HostDetails>) => ({
  version: sql<string>`coalesce(${version}, version)`,
  vmid_lower: sql<number>`coalesce(${vmidLower}::integer, vmid_lower)`,
  vmid_upper: sql<number>`coalesce(${vmidUpper}::integer, vmid_upper)`,
});

const RECORD_DETAILS = prepared<HostDetails & { readonly hostId: number }, never>("host-details", (given) =>
  tables.updateTable("host").set(details(given)).where("id", "=", given.hostId),
);

/** Writes what is read of a host every few minutes, and nothing else. */
export async function recordDetails(connection: Connection, hostId: number, read: HostDetails): Promise<void> {
  await written(connection, RECORD_DETAILS({ ...read, hostId }));
}

/** A sync that failed. */
export interface FailedSync {
  readonly hostId: number;
  /** Begin of the sync. */
  readonly at: Date;
  /** For operators. */
  readonly error: string;
  /** The host whose machines were found; null: what is known stays. */
  readonly sameAsHostId: number | null;
  /** How far the clocks of two processes may be apart. */
  readonly clocksApartMs: number;
}

/** Part of a statement: a host whose sync failed, unless one that began later has succeeded: then this failure is outdated. */
export const failing = ({ hostId, at, error, sameAsHostId, clocksApartMs }: FailedSync) =>
  tables
    .updateTable("host")
    .set({ last_sync_error: error, same_as_host_id: sql`coalesce(${sameAsHostId}::integer, same_as_host_id)` })
    .where("id", "=", hostId)
    .where(
      sql<boolean>`(last_sync_at is null or last_sync_at < ${at}
        or last_sync_at > ${at}::timestamptz + ${clocksApartMs}::float8 * interval '1 ms')`,
    )
    .returning(["id", "last_sync_at"]);

/** Part of a statement: a host itself. */
export const deletion = (id: number) => tables.deleteFrom("host").where("id", "=", id);

/** A stored secret, with what it is bound to. */
interface SecretOfHost extends SealedSecret {
  readonly hostname: string;
  readonly port: number;
  readonly user: string;
  readonly tlsFingerprint: string | null;
  readonly tokenId: string | null;
}

/** Stored secrets by ascending id, for rotation. */
export const sealedSecrets = (connection: Connection, { after, most }: SecretPage): Promise<SecretOfHost[]> =>
  rowsOf(
    connection,
    tables
      .selectFrom("host")
      .select(["id", "secret_encrypted as sealed", "hostname", "port", "user_name as user"])
      .select(["tls_fingerprint as tlsFingerprint", "token_id as tokenId"])
      .where("id", ">", after)
      .orderBy("id")
      .limit(most),
  );

/** Replaces a secret if it is still the one that was read. */
export async function replaceSecret(connection: Connection, { id, before, after }: RenewedSecret): Promise<void> {
  await written(
    connection,
    tables
      .updateTable("host")
      .set({ secret_encrypted: after })
      .where("id", "=", id)
      .where("secret_encrypted", "=", before),
  );
}
