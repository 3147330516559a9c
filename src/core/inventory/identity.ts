// Decides whether a VMID that was seen again is still the guest that it was, or another one under the same number.
import type { GuestType } from "../enums.js";

/** Distinguishes guests of one VMID; containers have none of these. */
export interface GuestMarks {
  /** SMBIOS UUID: new with every creation and clone, kept by moves. */
  readonly uuid: string | null;
  /** Seconds since 1970. */
  readonly createdAt: number | null;
  /** VM generation id; also renewed when a snapshot is rolled back, so that the others are asked first. */
  readonly generation: string | null;
}

/** The guest on record. */
export interface KnownGuest {
  readonly type: GuestType;
  readonly marks: GuestMarks;
  /** When the record was last known to be right, milliseconds since 1970. */
  readonly identifiedAt: number;
}

/** What was found under the same VMID of the same host, on whichever node. */
export interface SeenGuest {
  readonly type: GuestType;
  readonly marks: GuestMarks;
  /** End of the newest task that created or destroyed this VMID, milliseconds since 1970; null when none is known. */
  readonly replacedAt: number | null;
}

export const NO_MARKS: GuestMarks = { uuid: null, createdAt: null, generation: null };

const MARKS_BY_STRENGTH = [
  ["uuid", "SMBIOS UUID"],
  ["createdAt", "creation time"],
  ["generation", "VM generation id"],
] as const satisfies readonly (readonly [keyof GuestMarks, string])[];

/**
 * A move between nodes is no evidence, nor is a new name: only a different type, the strongest mark that both have, or,
 * where they share none, a creation or destruction since.
 * @returns the evidence that the seen guest is another one, or null when it is the known guest.
 */
export function evidenceOfAnother(known: KnownGuest, seen: SeenGuest): string | null {
  if (known.type !== seen.type) return `was ${known.type}, is ${seen.type}`;
  for (const [mark, name] of MARKS_BY_STRENGTH) {
    const before = known.marks[mark];
    const now = seen.marks[mark];
    if (before !== null && now !== null) return before === now ? null : `another ${name}`;
  }
  const wasReplaced = seen.replacedAt !== null && seen.replacedAt > known.identifiedAt;
  return wasReplaced ? "created or destroyed on the platform since" : null;
}
