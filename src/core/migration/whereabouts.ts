// Decides where a guest is after its transfer has ended: by what is there on both hosts, not by what the task says.

/** What a host says about a VMID. */
export interface Sighting {
  readonly lock: string | null;
  /** Whether it uses CPU and RAM, paused included. */
  readonly running: boolean;
}

/** The place where a guest is after a transfer. */
export const Whereabouts = {
  /** On the target, complete; what is on the source is the copy. */
  MOVED: "moved",
  /** Still on the source; nothing is on the target. */
  STAYED: "stayed",
  /** Still on the source; the target has something that is locked, as the remains of a transfer are. */
  STAYED_WITH_REMAINS: "stayed_with_remains",
  /** What is there fits no outcome of a transfer: only a person can tell. */
  UNCLEAR: "unclear",
} as const;
export type Whereabouts = (typeof Whereabouts)[keyof typeof Whereabouts];

/** What is seen of a guest after its transfer; null: the host has no such guest. */
export interface SeenAfterTransfer {
  readonly source: Sighting | null;
  readonly target: Sighting | null;
  /** Whether the platform's task ended well. */
  readonly reportedDone: boolean;
}

/** The locks of a guest that is still being received. */
const RECEIVING = new Set(["create", "migrate"]);

/**
 * The platform takes the lock off on the target when the guest is complete there, and leaves `migrate` on the source. An
 * unlocked guest on the target without that lock on the source may be somebody else's under the same VMID.
 */
export function whereabouts({ source, target, reportedDone }: SeenAfterTransfer): Whereabouts {
  if (target === null) return source === null ? Whereabouts.UNCLEAR : Whereabouts.STAYED;
  if (source === null || source.running) {
    return source !== null && RECEIVING.has(target.lock ?? "") ? Whereabouts.STAYED_WITH_REMAINS : Whereabouts.UNCLEAR;
  }
  if (RECEIVING.has(target.lock ?? "")) return Whereabouts.STAYED_WITH_REMAINS;
  return source.lock === "migrate" || reportedDone ? Whereabouts.MOVED : Whereabouts.UNCLEAR;
}
