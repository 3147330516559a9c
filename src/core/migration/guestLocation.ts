// Decides where a guest is after its transfer has ended: by what is there on both hosts, not by what the task says.
import { LockCause } from "../inventory/lock.js";

/** What a guest does at one end of a transfer. */
export const Activity = {
  STOPPED: "stopped",
  RUNNING: "running",
  PAUSED: "paused",
  /** Its process waits for the state that a live transfer brings. */
  ARRIVING: "arriving",
  /** Its process has given its state to a live transfer, and waits to be ended. */
  LEFT: "left",
} as const;
export type Activity = (typeof Activity)[keyof typeof Activity];

/** What a host says about a VMID. */
export interface Sighting {
  /** Why it is locked; null: it is not. */
  readonly lock: LockCause | null;
  readonly activity: Activity;
}

/** The place where a guest is after a transfer. */
export const GuestLocation = {
  /** On the target, complete; what is on the source is the copy. */
  MOVED: "moved",
  /** Still on the source; nothing is on the target. */
  STAYED: "stayed",
  /** Still on the source; the target has something that is locked, as the remains of a transfer are. */
  STAYED_WITH_REMAINS: "stayed_with_remains",
  /** What is there fits no outcome of a transfer: only a person can tell. */
  UNCLEAR: "unclear",
} as const;
export type GuestLocation = (typeof GuestLocation)[keyof typeof GuestLocation];

/** What is seen of a guest after its transfer; null: the host has no such guest. */
interface SeenAfterTransfer {
  readonly source: Sighting | null;
  readonly target: Sighting | null;
  /** Whether the platform's task ended well. */
  readonly reportedDone: boolean;
}

/** The locks of a guest that is still being received. */
const RECEIVING: readonly (LockCause | null)[] = [LockCause.CREATION, LockCause.MOVE];

/**
 * The platform takes the lock off on the target when the guest is complete there, and leaves that of a move on the source. An
 * unlocked guest on the target without that lock on the source may be somebody else's under the same VMID, unless the task ended
 * well: then somebody has unlocked, or removed, the original since.
 */
export function locationAfterTransfer({ source, target, reportedDone }: SeenAfterTransfer): GuestLocation {
  if (target === null) return source === null ? GuestLocation.UNCLEAR : GuestLocation.STAYED;
  const isReceiving = RECEIVING.includes(target.lock);
  if (source === null) return reportedDone && !isReceiving ? GuestLocation.MOVED : GuestLocation.UNCLEAR;
  if (isReceiving) return underLock(source, target);
  if (isAlive(source)) return GuestLocation.UNCLEAR;
  return source.lock === LockCause.MOVE || reportedDone ? GuestLocation.MOVED : GuestLocation.UNCLEAR;
}

/**
 * A machine goes on at the target before the source has it unlocked there: one that runs under the lock has gone over, whatever
 * became of the source since. One that was not told to go on may have all of its state, or not.
 */
function underLock(source: Sighting, { activity }: Sighting): GuestLocation {
  if (isAlive(source)) return activity === Activity.RUNNING ? GuestLocation.UNCLEAR : GuestLocation.STAYED_WITH_REMAINS;
  if (activity === Activity.RUNNING) return GuestLocation.MOVED;
  return activity === Activity.PAUSED ? GuestLocation.UNCLEAR : GuestLocation.STAYED_WITH_REMAINS;
}

const isAlive = ({ activity }: Sighting): boolean => activity === Activity.RUNNING || activity === Activity.PAUSED;
