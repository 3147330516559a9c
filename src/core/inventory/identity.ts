// Decides whether a VMID that was seen again is still the guest that it was, or another one under the same number.
import type { GuestType } from "../enums.js";

/** What distinguishes guests of one VMID. A container has none of the first three, which prove alone which guest it is. */
export interface GuestMarks {
  /** SMBIOS UUID: new with every creation and clone, kept by moves. */
  readonly uuid: string | null;
  /** Seconds since 1970. */
  readonly createdAt: number | null;
  /** VM generation id; also renewed when a snapshot is rolled back, so that the others are asked first. */
  readonly generation: string | null;
  /** MAC addresses of its network cards. */
  readonly cards: readonly string[];
  /** Volume of its root file system; null: it has none, or it is a machine. */
  readonly root: string | null;
  readonly name: string | null;
}

/** A task that made or destroyed a guest of the VMID. */
export interface Replacement {
  /** Its id on the platform. */
  readonly task: string;
  /** By the host's clock, milliseconds since 1970. */
  readonly endedAt: number;
}

/** The guest on record. */
export interface RecordedIdentity {
  readonly type: GuestType;
  readonly marks: GuestMarks;
  /** When the record was last known to be right, by the host's clock but never later than by ours; milliseconds since 1970. */
  readonly identifiedAt: number;
  /** Ids of the replacements that were known then; null: of a record that was written before they were kept. */
  readonly tasks: readonly string[] | null;
}

/** What was found under the same VMID of the same host, on whichever node. */
export interface SeenGuest {
  readonly type: GuestType;
  readonly marks: GuestMarks;
  /** Those that the host still knows. */
  readonly replacements: readonly Replacement[];
}

/** A guest's identity as it is stored; records of earlier versions lack some of it. */
export interface StoredIdentity extends Pick<RecordedIdentity, "identifiedAt"> {
  readonly marks: Partial<GuestMarks>;
  readonly tasks?: readonly string[] | null | undefined;
}

export const NO_MARKS: GuestMarks = {
  uuid: null,
  createdAt: null,
  generation: null,
  cards: [],
  root: null,
  name: null,
};

/** @returns the guest on record, whichever version of the service has written it */
export const knownGuest = (
  type: GuestType,
  { marks, identifiedAt, tasks = null }: StoredIdentity,
): RecordedIdentity => ({
  type,
  marks: { ...NO_MARKS, ...marks },
  identifiedAt,
  tasks,
});

/** What a sync has found, with the tasks that made or destroyed each VMID. */
export const seenGuest = (
  { type, vmid, marks }: { readonly type: GuestType; readonly vmid: number; readonly marks: Partial<GuestMarks> },
  replaced: ReadonlyMap<number, readonly Replacement[]>,
): SeenGuest => ({ type, marks: { ...NO_MARKS, ...marks }, replacements: replaced.get(vmid) ?? [] });

const PROOFS_BY_STRENGTH = [
  ["uuid", "SMBIOS UUID"],
  ["createdAt", "creation time"],
  ["generation", "VM generation id"],
] as const satisfies readonly (readonly [keyof GuestMarks, string])[];

/**
 * A move between nodes is no evidence, nor is a new name alone: only a different type, the strongest proof that both have, or,
 * where they share none, what containers have.
 * @returns the evidence that the seen guest is another one, or null when it is the known guest.
 */
export function evidenceOfAnother(known: RecordedIdentity, seen: SeenGuest): string | null {
  if (known.type !== seen.type) return `was ${known.type}, is ${seen.type}`;
  for (const [mark, name] of PROOFS_BY_STRENGTH) {
    const before = known.marks[mark];
    const now = seen.marks[mark];
    if (before !== null && now !== null) return before === now ? null : `another ${name}`;
  }
  return circumstances(known, seen);
}

/**
 * Each of these can change in the life of one guest: somebody gives it a new card, moves its root file system, renames it. Two
 * of them that changed make another guest; so does a replacement that is new by the host's clock. One that only was not known
 * before may be of a node that was away, or come from a clock that was wrong: then cards and root have to speak for the guest.
 */
function circumstances({ marks, identifiedAt, tasks }: RecordedIdentity, seen: SeenGuest): string | null {
  const cards = compared(marks.cards, seen.marks.cards);
  const root = compared(listOf(marks.root), listOf(seen.marks.root));
  const name = compared(listOf(marks.name), listOf(seen.marks.name));
  const unknown = seen.replacements.filter(({ task }) => tasks === null || !tasks.includes(task));
  const isVouchedFor = tasks === null || (cards === "same" && root !== "other");
  const isReplaced = isVouchedFor ? unknown.some(({ endedAt }) => endedAt > identifiedAt) : unknown.length > 0;
  if (isReplaced) return "created or destroyed on the platform since";
  if (cards === "same") return null;
  const changed = [
    ...(cards === "other" ? ["network cards"] : []),
    ...(root === "other" ? ["root file system"] : []),
    ...(name === "other" ? ["name"] : []),
  ];
  return changed.length > 1 ? `other ${changed.join(" and ")}` : null;
}

const listOf = (value: string | null): readonly string[] => (value === null ? [] : [value]);

/** One that both have is enough: cards come and go. */
function compared(before: readonly string[], now: readonly string[]): "same" | "other" | "unknown" {
  if (before.length === 0 || now.length === 0) return "unknown";
  return before.some((value) => now.includes(value)) ? "same" : "other";
}
