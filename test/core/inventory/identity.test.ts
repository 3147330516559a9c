// Checks when a VMID seen again is the same guest, and when it is another one.
import assert from "node:assert/strict";
import {
  evidenceOfAnother,
  knownGuest,
  NO_MARKS,
  type GuestMarks,
  type RecordedIdentity,
  type Replacement,
  type SeenGuest,
} from "../../../src/core/inventory/identity.js";

const marks = { ...NO_MARKS, uuid: "u1", createdAt: 1_700_000_000, generation: "g1" };
const machine: RecordedIdentity = { type: "qemu", marks, identifiedAt: 1_000, tasks: [] };
const seen: SeenGuest = { type: "qemu", marks, replacements: [] };
const LATER: Replacement = { task: "made later", endedAt: 1_001 };

const box: GuestMarks = { ...NO_MARKS, cards: ["C1", "C2"], root: "lvm:vm-101-disk-0", name: "box" };
const container: RecordedIdentity = { type: "lxc", marks: box, identifiedAt: 1_000, tasks: ["made"] };
const legacy = knownGuest("lxc", { marks: { uuid: null }, identifiedAt: 1_000 });
const MADE: Replacement = { task: "made", endedAt: 90_000 };
const EARLIER: Replacement = { task: "made earlier", endedAt: 10 };
const REPLACED = "created or destroyed on the platform since";

const now = (changes: Partial<GuestMarks> = {}, ...replacements: Replacement[]): SeenGuest => ({
  type: "lxc",
  marks: { ...box, ...changes },
  replacements,
});
const bare = (known: RecordedIdentity): RecordedIdentity => ({ ...known, marks: { ...known.marks, cards: [] } });

describe("core/inventory/identity", () => {
  const cases: [what: string, known: RecordedIdentity, seen: SeenGuest, evidence: string | null][] = [
    ["nothing changed", machine, seen, null],
    ["another type", machine, { ...seen, type: "lxc" }, "was qemu, is lxc"],
    ["another UUID", machine, { ...seen, marks: { ...marks, uuid: "u2" } }, "another SMBIOS UUID"],
    ["rolled back to a snapshot", machine, { ...seen, marks: { ...marks, generation: "g2" } }, null],
    ["the UUID speaks louder than a task", machine, { ...seen, replacements: [LATER] }, null],
    ["the UUID speaks louder than cards and name", machine, { ...seen, marks: { ...box, uuid: "u1" } }, null],
    [
      "no UUID, another time",
      machine,
      { ...seen, marks: { ...marks, uuid: null, createdAt: 1 } },
      "another creation time",
    ],
    [
      "only another generation",
      machine,
      { ...seen, marks: { ...NO_MARKS, generation: "g2" } },
      "another VM generation id",
    ],
    ["no shared mark", { ...machine, marks: NO_MARKS }, seen, null],
    ["a container as it was", container, now(), null],
    ["the task that made it, by a clock that was ahead", container, now({}, MADE), null],
    ["a task since", container, now({}, MADE, LATER), REPLACED],
    ["a task that was unknown, earlier by the clock", container, now({}, EARLIER), null],
    ["the same, with another root", container, now({ root: "nfs:vm-101-disk-0" }, EARLIER), REPLACED],
    ["the same, with other cards", container, now({ cards: ["C3"] }, EARLIER), REPLACED],
    ["the same, without cards", bare(container), now({ cards: [] }, EARLIER), REPLACED],
    ["other cards and name", container, now({ cards: ["C3"], name: "shop" }), "other network cards and name"],
    [
      "other cards and root",
      container,
      now({ cards: ["C3"], root: "nfs:vm-101-disk-0" }),
      "other network cards and root file system",
    ],
    [
      "without cards, another root and name",
      bare(container),
      now({ cards: [], root: "nfs:1", name: "shop" }),
      "other root file system and name",
    ],
    ["a further card, and one less", container, now({ cards: ["C2", "C3"] }), null],
    ["a new card in the place of all others", container, now({ cards: ["C3"] }), null],
    ["another name", container, now({ name: "shop" }), null],
    ["another root, as after a move of the volume", container, now({ root: "nfs:vm-101-disk-0" }), null],
    ["the same, renamed besides", container, now({ root: "nfs:vm-101-disk-0", name: "shop" }), null],
    ["a record without tasks and cards, a task before", legacy, now({}, EARLIER), null],
    ["the same, a task since", legacy, now({}, LATER), REPLACED],
  ];
  for (const [what, known, found, evidence] of cases) {
    it(`${what}: ${evidence ?? "the same guest"}`, () => assert.equal(evidenceOfAnother(known, found), evidence));
  }
});
