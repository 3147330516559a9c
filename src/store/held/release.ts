// Releases what jobs hold when they have ended: locks, VMIDs, reserved capacity, turns to clone, and the addresses that no guest got.
import { sql } from "kysely";
import * as addresses from "../address.js";
import * as capacity from "../capacity.js";
import * as cloneTurns from "../cloneTurn.js";
import * as locks from "../lock.js";
import { textOf, type Connection } from "../tables.js";
import * as vmids from "../vmid.js";
import * as vmidRefusals from "../vmidRefusal.js";

/**
 * Further parts of a statement whose part `held` has the ids of jobs.
 * @param ifCapacity condition on `held` and the reservation `c` under which reserved capacity is released too
 */
export const releaseHeldSql = (ifCapacity = "true"): string => `
  unlocked as (${textOf(locks.deletionOfHeld.returning("l.key"))}),
  freed as (${textOf(vmids.deletionOfHeld.returning("r.vmid"))}),
  room as (${textOf(capacity.deletionOfHeld.where(sql.raw<boolean>(`(${ifCapacity})`)).returning("c.node_id"))}),
  turned as (${textOf(cloneTurns.deletionOfHeld)}),
  kept as (${textOf(addresses.handoverOfHeld)}),
  returned as (${textOf(addresses.deletionOfHeld.returning("a.address"))})`;

/** A parked job keeps what it holds. */
const ENDED = "j.finished_at is not null and j.parked_at is null";

/** New guests use their capacity from the next sync on. */
const IS_SYNCED = `exists (
  select 1 from node n join host h on h.id = n.host_id where n.id = c.node_id and held.finished_at <= h.last_sync_at)`;

// The holders are looked up from what is held: there is little of it, and all jobs that there ever were are many.
const RELEASE_ORPHANED = `
  with held as (
    select j.id, j.finished_at from job j
    where ${ENDED} and j.id in (
      select job_id from resource_lock where job_id is not null union select job_id from vmid_reservation
      union select job_id from capacity_reservation union select job_id from clone_turn union select job_id from ip_address where job_id is not null)
  ), ${releaseHeldSql(IS_SYNCED)},
  expired as (${textOf(locks.deletionOfExpired)}),
  tried as (${textOf(vmidRefusals.deletionOfExpired)}),
  unowned as (${textOf(addresses.deletionOfUnowned.returning("a.address"))})
  select (select count(*) from unlocked)::int as locks, (select count(*) from freed)::int as vmids,
    (select count(*) from returned)::int + (select count(*) from unowned)::int as addresses,
    (select count(*) from room)::int as "capacitySynced"`;

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
  const { rows } = await connection.query<Released>({ text: RELEASE_ORPHANED, values: [] });
  const [released] = rows;
  if (released === undefined) throw new Error("the release of orphaned resources gave no row");
  return released;
}
