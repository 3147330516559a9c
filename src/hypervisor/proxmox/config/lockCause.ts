// Reads from a guest's lock why it is locked.
import { LockCause } from "../../../core/inventory/lock.js";

const CAUSES: Readonly<Record<string, LockCause>> = {
  create: LockCause.CREATION,
  clone: LockCause.COPY,
  migrate: LockCause.MOVE,
};

export const lockCause = (lock: string | null): LockCause | null =>
  lock === null ? null : (CAUSES[lock] ?? LockCause.OTHER);
