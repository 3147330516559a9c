// VMIDs that jobs have reserved on a host for guests that are not there yet.
import { sql } from "kysely";
import { guestLockSql } from "../core/guest/lock.js";
import { prepared, rowsOf, tables, written, type Connection } from "./tables.js";

interface Reservation {
  readonly hostId: number;
  readonly vmid: number;
  readonly jobId: number;
}

/** Another VMID of the same host. */
export interface Renumbering {
  readonly hostId: number;
  readonly from: number;
  readonly to: number;
}

/** A VMID on a host. */
interface HostVmid {
  readonly hostId: number;
  readonly vmid: number;
}

interface VmidQuery {
  readonly hostIds: readonly number[];
  readonly vmids: readonly number[];
  readonly exceptJobId: number | null;
}

/** All that would refuse a new guest there. A job's lock may outlast the guest that it deletes or moves away. */
const TAKEN = prepared<VmidQuery, HostVmid>("taken-vmids", ({ hostIds, vmids, exceptJobId }) =>
  tables
    .selectFrom(
      sql<{ host_id: number; vmid: number }>`unnest(${hostIds}::int[], ${vmids}::int[])`.as<"q">(
        sql.raw("q (host_id, vmid)"),
      ),
    )
    .select(["q.host_id as hostId", "q.vmid"])
    .where((row) =>
      row.or([
        row.exists(
          row
            .selectFrom("guest as g")
            .select("g.id")
            .whereRef("g.host_id", "=", "q.host_id")
            .whereRef("g.vmid", "=", "q.vmid")
            .where("g.gone_at", "is", null),
        ),
        row.exists(
          row
            .selectFrom("vmid_reservation as r")
            .select("r.vmid")
            .whereRef("r.host_id", "=", "q.host_id")
            .whereRef("r.vmid", "=", "q.vmid")
            .where("r.job_id", "is distinct from", exceptJobId),
        ),
        row.exists(
          row
            .selectFrom("resource_lock as l")
            .select("l.key")
            .where("l.key", "=", sql<string>`${sql.raw(guestLockSql("q"))}`)
            .where("l.job_id", "is distinct from", exceptJobId),
        ),
      ]),
    ),
);

/** Which of these a guest or a job has. @param exceptJobId a job whose own reservation and lock do not count */
export const taken = (
  connection: Connection,
  asked: readonly HostVmid[],
  exceptJobId: number | null = null,
): Promise<HostVmid[]> =>
  rowsOf(
    connection,
    TAKEN({ hostIds: asked.map(({ hostId }) => hostId), vmids: asked.map(({ vmid }) => vmid), exceptJobId }),
  );

/** Part of a statement: the VMID of one job. */
export const insertion = ({ hostId, vmid, jobId }: Reservation) =>
  tables.insertInto("vmid_reservation").values({ host_id: hostId, vmid, job_id: jobId });

/**
 * Reserves a VMID for a job. The caller holds the host's reservation lock since it saw that the VMID is free; jobs on guests that
 * exist lock a VMID without it, so that the unique key can be violated all the same.
 * @throws the driver's unique violation of `vmid_reservation_pkey`
 */
export async function reserve(connection: Connection, reservation: Reservation): Promise<void> {
  await written(connection, insertion(reservation));
}

/** Part of a statement with a part `reserved`: a VMID for each of its jobs. @throws as `reserve` */
export const insertionOfReserved = tables
  .withTables<{ reserved: { job_id: number; host_id: number; vmid: number } }>()
  .insertInto("vmid_reservation")
  .columns(["host_id", "vmid", "job_id"])
  .expression((db) => db.selectFrom("reserved").select(["host_id", "vmid", "job_id"]));

/** Part of a statement with a part `held`, a job that has another VMID of a host now. @throws as `reserve` */
export const exchangeOfHeld = ({ hostId, from, to }: Renumbering) =>
  tables
    .withTables<{ held: { id: number } }>()
    .updateTable("vmid_reservation as r")
    .from("held")
    .set({ vmid: to })
    .whereRef("r.job_id", "=", "held.id")
    .where("r.host_id", "=", hostId)
    .where("r.vmid", "=", from);

/** Part of a statement with a part `held`: the VMID of that job. */
export const deletionOfHeld = tables
  .withTables<{ held: { id: number } }>()
  .deleteFrom("vmid_reservation as r")
  .using("held")
  .whereRef("r.job_id", "=", "held.id");
