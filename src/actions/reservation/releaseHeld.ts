// SQL that gives back what a job holds: its locks, its VMID, its promised room, and the addresses that no guest got.
import * as locks from "../../store/lock.js";
import { textOf } from "../../store/tables.js";
import * as vmids from "../../store/vmid.js";

/**
 * Further parts of a statement whose part `held` has the job's id.
 * @param ifRoom condition under which the promised room is given back too
 */
export const releaseHeldSql = (ifRoom = "true"): string => `
  unlocked as (${textOf(locks.deletionOfHeld)}),
  freed as (${textOf(vmids.deletionOfHeld)}),
  room as (delete from capacity_reservation c using held where c.job_id = held.id and ${ifRoom}),
  kept as (update ip_address a set job_id = null from held where a.job_id = held.id and a.guest_id is not null),
  returned as (delete from ip_address a using held where a.job_id = held.id and a.guest_id is null)`;
