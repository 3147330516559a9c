// SQL that gives back what a job holds: its locks, its VMID, its promised room, and the addresses that no guest got.

/**
 * Further parts of a statement whose part `held` has the job's id.
 * @param ifRoom condition under which the promised room is given back too
 */
export const releaseHeldSql = (ifRoom = "true"): string => `
  unlocked as (delete from resource_lock l using held where l.job_id = held.id),
  freed as (delete from vmid_reservation r using held where r.job_id = held.id),
  room as (delete from capacity_reservation c using held where c.job_id = held.id and ${ifRoom}),
  kept as (update ip_address a set job_id = null from held where a.job_id = held.id and a.guest_id is not null),
  returned as (delete from ip_address a using held where a.job_id = held.id and a.guest_id is null)`;
