// Guests that jobs have created on the platform: on record with owner, plan and address, ahead of the next sync.
import { sql } from "kysely";
import { GuestStatus, type GuestType } from "../../core/enums.js";
import * as addresses from "../address.js";
import * as jobs from "../job/job.js";
import { held, type Lease } from "../job/lease.js";
import { prepared, rowOf, tables, written, type Connection } from "../tables.js";

/** A guest that a job has created. */
interface Created extends Lease {
  readonly hostId: number;
  readonly node: string;
  readonly type: GuestType;
  readonly vmid: number;
  readonly name: string;
  readonly cores: number;
  readonly memoryMb: number;
  /** Of all its disks. */
  readonly diskBytes: number;
  readonly systemDiskBytes: number;
  readonly ownerId: number | null;
  readonly planId: number | null;
  /** JSON; null: the platform gave it none. */
  readonly identity: string | null;
}

const RECORD = prepared<Created, { held: boolean; id: number | null }>("creation-record", (given) =>
  tables
    .with("held", () => held(given))
    .with("recorded", (db) =>
      db
        .insertInto("guest")
        .columns([
          "host_id",
          "node_id",
          "type",
          "vmid",
          "name",
          "status",
          "cores",
          "memory_mb",
          "disk_bytes",
          "system_disk_bytes",
          "owner_id",
          "plan_id",
          "identity",
        ])
        .expression((from) =>
          from
            .selectFrom(["held", "node"])
            .select((row) => [
              "node.host_id",
              "node.id",
              given.type.as("type"),
              given.vmid.as("vmid"),
              given.name.as("guest_name"),
              sql.lit(GuestStatus.STOPPED).as("status"),
              given.cores.as("cores"),
              given.memoryMb.as("memory_mb"),
              given.diskBytes.as("disk_bytes"),
              given.systemDiskBytes.as("system_disk_bytes"),
              row.selectFrom("user_account").select("id").where("id", "=", given.ownerId).forKeyShare().as("owner_id"),
              row.selectFrom("plan").select("id").where("id", "=", given.planId).as("plan_id"),
              given.identity.as("identity"),
            ])
            .where("node.host_id", "=", given.hostId)
            .where("node.name", "=", given.node),
        )
        .onConflict((conflict) =>
          conflict
            .columns(["host_id", "vmid"])
            .where("gone_at", "is", null)
            .doUpdateSet((row) => ({
              node_id: row.ref("excluded.node_id"),
              name: row.ref("excluded.name"),
              cores: row.ref("excluded.cores"),
              memory_mb: row.ref("excluded.memory_mb"),
              disk_bytes: row.ref("excluded.disk_bytes"),
              system_disk_bytes: row.ref("excluded.system_disk_bytes"),
              unsized_disks: sql`'{}'`,
              owner_id: row.ref("excluded.owner_id"),
              plan_id: row.ref("excluded.plan_id"),
              identity: row.ref("excluded.identity"),
            })),
        )
        .returning("id"),
    )
    .with("addressed", () => addresses.assignmentToRecorded(given.id))
    .with("linked", () => jobs.linkToRecorded(given.id))
    .selectNoFrom((row) => [
      row.exists(row.selectFrom("held").select("held.id")).as("held"),
      row.selectFrom("recorded").select("recorded.id").as("id"),
    ]),
);

/**
 * Records a guest that a job has created, with its addresses, and links the job to it. If a sync has found the guest first, its
 * row is completed. An owner that is being deleted is waited for; a deleted one and a deleted plan are left out.
 * @returns whether the lease is held; the guest's id, null when its node is no longer known
 */
export async function record(
  connection: Connection,
  created: Created,
): Promise<{ readonly held: boolean; readonly id: number | null }> {
  return (await rowOf(connection, RECORD(created))) ?? { held: false, id: null };
}

interface Started extends Lease {
  readonly guestId: number;
  readonly at: Date;
}

const RECORD_START = prepared<Started, never>("creation-started", (given) =>
  tables
    .with("held", () => held(given))
    .updateTable("guest")
    .from("held")
    .set({ status: sql.lit(GuestStatus.RUNNING), started_at: given.at })
    .where("guest.id", "=", given.guestId)
    .where("gone_at", "is", null),
);

/** Records that a guest was started which a job has created. A worker that lost its lease writes nothing. */
export async function recordStart(connection: Connection, started: Started): Promise<void> {
  await written(connection, RECORD_START(started));
}
