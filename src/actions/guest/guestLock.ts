// Names the exclusive lock of a guest: one active job a guest, and one for each VMID that a job is about to use.

/** Key of `resource_lock`. */
export const guestLock = (hostId: number, vmid: number): string => `guest:${hostId}:${vmid}`;
