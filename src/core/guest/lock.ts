// Names the exclusive lock of a guest: one active job a guest, and one for each VMID that a job is about to use.

/** Key of `resource_lock`. */
export const guestLock = (hostId: number, vmid: number): string => `guest:${hostId}:${vmid}`;

/** SQL of the same key. @param row a table or alias with the columns `host_id` and `vmid` */
export const guestLockSql = (row: string): string => `'guest:' || ${row}.host_id || ':' || ${row}.vmid`;

/** SQL of the VMIDs of a host that are locked, as one integer column. @param hostId an expression */
export const lockedVmidsSql = (hostId: string): string =>
  `select split_part(key, ':', 3)::int from resource_lock where key like 'guest:' || ${hostId} || ':%'`;
