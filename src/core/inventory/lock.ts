// Why a platform has locked a guest, as far as it makes a difference to the service.

export const LockCause = {
  /** It is being created, or received from another host. */
  CREATION: "creation",
  /** It is being copied from a template. */
  COPY: "copy",
  /** It moves to another host. */
  MOVE: "move",
  OTHER: "other",
} as const;
export type LockCause = (typeof LockCause)[keyof typeof LockCause];
