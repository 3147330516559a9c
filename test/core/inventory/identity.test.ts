// Checks when a VMID seen again is the same guest, and when it is another one.
import assert from "node:assert/strict";
import { evidenceOfAnother, NO_MARKS, type KnownGuest, type SeenGuest } from "../../../src/core/inventory/identity.js";

const marks = { uuid: "u1", createdAt: 1_700_000_000, generation: "g1" };
const machine: KnownGuest = { type: "qemu", marks, identifiedAt: 1_000 };
const container: KnownGuest = { type: "lxc", marks: NO_MARKS, identifiedAt: 1_000 };
const seen: SeenGuest = { type: "qemu", marks, replacedAt: null };

describe("core/inventory/identity", () => {
  const cases: [what: string, known: KnownGuest, seen: SeenGuest, evidence: string | null][] = [
    ["nothing changed", machine, seen, null],
    ["another type", machine, { ...seen, type: "lxc" }, "was qemu, is lxc"],
    ["another UUID", machine, { ...seen, marks: { ...marks, uuid: "u2" } }, "another SMBIOS UUID"],
    ["rolled back to a snapshot", machine, { ...seen, marks: { ...marks, generation: "g2" } }, null],
    ["the UUID speaks louder than a task", machine, { ...seen, replacedAt: 2_000 }, null],
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
    ["a container, no task", container, { ...seen, type: "lxc", marks: NO_MARKS }, null],
    ["a task before", container, { type: "lxc", marks: NO_MARKS, replacedAt: 999 }, null],
    ["a task at the same time", container, { type: "lxc", marks: NO_MARKS, replacedAt: 1_000 }, null],
    [
      "a task since",
      container,
      { type: "lxc", marks: NO_MARKS, replacedAt: 1_001 },
      "created or destroyed on the platform since",
    ],
  ];
  for (const [what, known, now, evidence] of cases) {
    it(`${what}: ${evidence ?? "the same guest"}`, () => assert.equal(evidenceOfAnother(known, now), evidence));
  }
});
