// Guests on record: their status, their owner and their end. A row stays for the history once its guest is gone.
import { sql } from "kysely";
import { GuestStatus } from "../../core/enums.js";
import { guestLockSql } from "../../core/guest/lock.js";
import { tables, written, type Connection } from "../tables.js";

/** Guests that have ended exist no longer: nothing is known of how they run. */
const endOfGuests = () =>
  tables
    .updateTable("guest")
    .set({ gone_at: sql<Date>`service_now()`, status: GuestStatus.UNKNOWN })
    .where("gone_at", "is", null);

/**
 * Marks guests as gone: they no longer exist on any host. Repeatable. What they have is released apart from this: a guest that
 * disappeared without a job may come back, and keeps its addresses for some minutes.
 */
export const markGone = (connection: Connection, ids: readonly number[]): Promise<number> =>
  written(connection, endOfGuests().where("id", "=", sql<number>`any(${ids})`));

/** Where a guest is. */
interface Place {
  readonly hostId: number;
  readonly vmid: number;
}

/** Marks as gone whatever is on record in the place of a guest: only that guest can be there now. */
export async function markOthersGone(connection: Connection, id: number, { hostId, vmid }: Place): Promise<void> {
  await written(connection, endOfGuests().where("host_id", "=", hostId).where("vmid", "=", vmid).where("id", "<>", id));
}

/** Deletes the rows of guests that have been gone since before a moment. Their jobs stay, without them. */
export async function deleteGoneBefore(connection: Connection, moment: Date): Promise<void> {
  await written(connection, tables.deleteFrom("guest").where("gone_at", "<", moment));
}

/** Part of a statement with a part `empty`, nodes without guests: those that are gone are on none. They may come back to another. */
export const leavingOfEmpty = tables
  .withTables<{ empty: { id: number } }>()
  .updateTable("guest as g")
  .from("empty")
  .set({ node_id: null })
  .whereRef("g.node_id", "=", "empty.id");

const isFree = sql<boolean>`not exists (select from resource_lock l where l.key = ${sql.raw(guestLockSql("guest"))})`;

/**
 * Changes the owner of a guest that no job or request holds. The caller holds the rows of the owner and the guest, in that order:
 * a job that starts now waits for the guest's row.
 * @returns false when the guest is held
 */
export async function setOwnerIfFree(connection: Connection, id: number, ownerId: number): Promise<boolean> {
  const statement = tables.updateTable("guest").set({ owner_id: ownerId }).where("id", "=", id).where(isFree);
  return (await written(connection, statement)) === 1;
}

/** The status of a guest as it was looked at. */
interface SeenStatus {
  readonly id: number;
  readonly status: GuestStatus;
  readonly at: Date;
}

const STOPPED = { started_at: null, cpu_usage: null, memory_used_mb: null };

const statusUpdate = ({ id, status, at }: SeenStatus) => {
  const sinceStart = { started_at: sql<Date | null>`case when status = 'stopped' then ${at} else started_at end` };
  return tables
    .updateTable("guest")
    .set({ status, ...(status === GuestStatus.STOPPED ? STOPPED : sinceStart) })
    .where("id", "=", id)
    .where("gone_at", "is", null)
    .where("status", "<>", status);
};

/** Records the status of a guest that the caller's job holds, ahead of the next sync. */
export async function setStatus(connection: Connection, seen: SeenStatus): Promise<void> {
  await written(connection, statusUpdate(seen));
}

/** Records the status of a guest unless a job holds it: then the job writes it. */
export async function setStatusIfFree(connection: Connection, seen: SeenStatus): Promise<void> {
  await written(connection, statusUpdate(seen).where(isFree));
}

/** Replaces the status of a guest that still has the one expected. */
export async function replaceStatus(
  connection: Connection,
  id: number,
  { from, to }: { readonly from: GuestStatus; readonly to: GuestStatus },
): Promise<void> {
  await written(
    connection,
    tables
      .updateTable("guest")
      .set({ status: to })
      .where("id", "=", id)
      .where("status", "=", from)
      .where("gone_at", "is", null),
  );
}

/** A guest that was installed again, on a node of its host. */
interface Reinstalled {
  readonly id: number;
  readonly hostId: number;
  readonly node: string;
  /** Null: the platform gave it none. */
  readonly identity: object | null;
  /** Of its new disks; null: not known, and what is on record stays until a sync reads it. */
  readonly disks: { readonly bytes: number; readonly systemBytes: number } | null;
}

/** Records that a guest was installed again: it is the same guest, with its owner, plan and addresses. */
export async function setReinstalled(
  connection: Connection,
  { id, hostId, node, identity, disks }: Reinstalled,
): Promise<void> {
  await written(
    connection,
    tables
      .updateTable("guest as g")
      .from("node as n")
      .set((row) => ({
        ...STOPPED,
        node_id: row.ref("n.id"),
        status: GuestStatus.STOPPED,
        identity: identity === null ? null : JSON.stringify(identity),
        lock: null,
        ...(disks && { disk_bytes: disks.bytes, system_disk_bytes: disks.systemBytes, unsized_disks: [] }),
      }))
      .where("g.id", "=", id)
      .where("g.gone_at", "is", null)
      .where("n.host_id", "=", hostId)
      .where("n.name", "=", node),
  );
}

/** Records that a guest was started. */
export async function setStarted(connection: Connection, id: number, at: Date): Promise<void> {
  await written(
    connection,
    tables
      .updateTable("guest")
      .set({ status: GuestStatus.RUNNING, started_at: at })
      .where("id", "=", id)
      .where("gone_at", "is", null),
  );
}

/** Clears the identity of a guest: the next sync takes whatever has its place for this guest. */
export async function clearIdentity(connection: Connection, id: number): Promise<void> {
  await written(
    connection,
    tables.updateTable("guest").set({ identity: null }).where("id", "=", id).where("gone_at", "is", null),
  );
}

/** Part of a statement: the guests of a host that is removed. */
export const deletionOfHost = (hostId: number) => tables.deleteFrom("guest").where("host_id", "=", hostId);
