// Releases what jobs hold when they have ended: locks, VMIDs, reserved capacity, turns to clone, and the addresses that no guest got.
import { sql, type Expression, type QueryCreator } from "kysely";
import * as addresses from "../address.js";
import * as capacity from "../capacity.js";
import * as cloneTurns from "../cloneTurn.js";
import * as locks from "../lock.js";
import { rowOf, tables, type Connection, type Tables } from "../tables.js";
import * as vmids from "../vmid.js";
import * as vmidRefusals from "../vmidRefusal.js";

/** What a statement has before it releases: ids of jobs. */
type WithHeld = Tables & { held: { id: number } };

/**
 * Adds the parts that release what the jobs in a statement's part `held` hold.
 * @param ifCapacity condition on `held` and the reservation `c` under which reserved capacity is released too
 */
export const withReleases = (held: QueryCreator<WithHeld>, ifCapacity: Expression<boolean> = sql.lit(true)) =>
  held
    .with("unlocked", () => locks.deletionOfHeld.returning("l.key"))
    .with("freed", () => vmids.deletionOfHeld.returning("r.vmid"))
    .with("room", () => capacity.deletionOfHeld.where(ifCapacity).returning("c.node_id"))
    .with("turned", () => cloneTurns.deletionOfHeld)
    .with("kept", () => addresses.handoverOfHeld)
    .with("returned", () => addresses.deletionOfHeld.returning("a.address"));

/** New guests use their capacity from the next sync on. */
const IS_SYNCED = sql<boolean>`exists (
  select from node n join host h on h.id = n.host_id where n.id = c.node_id and held.finished_at <= h.last_sync_at)`;

/** Jobs that have ended and hold something. A parked job keeps what it holds. */
const orphans = tables
  .selectFrom("job")
  .select(["id", "finished_at"])
  .where("finished_at", "is not", null)
  .where("parked_at", "is", null)
  // They are looked up from what is held: there is little of it, and all jobs that there ever were are many.
  .where("id", "in", (db) =>
    db
      .selectFrom("resource_lock")
      .select("job_id")
      .where("job_id", "is not", null)
      .union(db.selectFrom("vmid_reservation").select("job_id"))
      .union(db.selectFrom("capacity_reservation").select("job_id"))
      .union(db.selectFrom("clone_turn").select("job_id"))
      .union(db.selectFrom("ip_address").select("job_id").where("job_id", "is not", null))
      .$narrowType<{ job_id: number }>(),
  );

const RELEASE_ORPHANED = withReleases(
  tables.with("held", () => orphans),
  IS_SYNCED,
)
  .with("expired", () => locks.deletionOfExpired)
  .with("tried", () => vmidRefusals.deletionOfExpired)
  .with("unowned", () => addresses.deletionOfUnowned.returning("a.address"))
  .selectNoFrom([
    sql<number>`(select count(*) from unlocked)::int`.as("locks"),
    sql<number>`(select count(*) from freed)::int`.as("vmids"),
    sql<number>`((select count(*) from returned) + (select count(*) from unowned))::int`.as("addresses"),
    sql<number>`(select count(*) from room)::int`.as("capacitySynced"),
  ]);

/** How many of each were released. */
export interface Released {
  readonly locks: number;
  readonly vmids: number;
  readonly addresses: number;
  /** Reserved capacity that a sync has seen in use since: its end is no fault. */
  readonly capacitySynced: number;
}

/** Releases what ended jobs still hold, the locks of requests whose process died, and VMIDs that were refused long ago. */
export async function releaseOrphaned(connection: Connection): Promise<Released> {
  const released = await rowOf(connection, RELEASE_ORPHANED);
  if (released === null) throw new Error("the release of what ended jobs hold returned no counts");
  return released;
}
