// Checks that a sync finds exactly what changed.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { diffRows } from "../../../src/core/inventory/diff.js";

interface Row {
  readonly vmid: number;
  readonly type?: string;
  readonly node?: string;
  readonly tags?: readonly string[];
  readonly lock?: string | null;
  readonly at?: Date | null;
  readonly usage?: object | null;
}

const keyOf = (row: Row) => row.vmid;
const byVmid = { keyOf };

describe("core/inventory/diff", () => {
  it("inserts, updates and finds the vanished", () => {
    const stored = [
      { id: 1, vmid: 100, node: "a", tags: ["x"] },
      { id: 2, vmid: 101, node: "a", tags: [] },
      { id: 3, vmid: 102, node: "a", tags: [] },
    ];
    const observed = [
      { vmid: 100, node: "a", tags: ["x"] },
      { vmid: 101, node: "b", tags: ["y"] },
      { vmid: 103, node: "a", tags: [] },
    ];
    assert.deepEqual(diffRows<Row, Row>(stored, observed, byVmid), {
      inserts: [observed[2]],
      updates: [{ stored: stored[1], observed: observed[1], fields: ["node", "tags"] }],
      vanished: [stored[2]],
    });
  });

  it("takes a recycled key as one vanished and one new", () => {
    const difference = diffRows<Row, Row>([{ vmid: 1, type: "qemu" }], [{ vmid: 1, type: "lxc" }], {
      keyOf,
      isAnother: (stored, observed) => stored.type !== observed.type,
    });
    assert.deepEqual(difference, {
      inserts: [{ vmid: 1, type: "lxc" }],
      updates: [],
      vanished: [{ vmid: 1, type: "qemu" }],
    });
  });

  it("takes missing and null as the same, and compares dates and nested values by what they hold", () => {
    const day = 86_400_000;
    const stored = [{ vmid: 1, at: new Date(day), lock: undefined, usage: { cpu: 1, parts: [1, 2] } }];
    const same = [{ vmid: 1, at: new Date(day), lock: null, usage: { cpu: 1, parts: [1, 2] } }];
    const other = [{ vmid: 1, at: new Date(day + 1), lock: "backup", usage: { cpu: 1, parts: [2, 1] } }];
    assert.deepEqual(diffRows<Row, Row>(stored, same, byVmid).updates, []);
    assert.deepEqual(diffRows<Row, Row>(stored, other, byVmid).updates[0]?.fields, ["at", "lock", "usage"]);
  });

  const values: [what: string, value: Omit<Row, "vmid">][] = [
    ["a text", { lock: "backup" }],
    ["a moment", { at: new Date(1) }],
    ["a list", { tags: [] }],
    ["a record", { usage: {} }],
  ];
  for (const [what, value] of values) {
    it(`finds ${what} that came or went, alone`, () => {
      const [field = ""] = Object.keys(value);
      const without = { vmid: 1, [field]: null };
      for (const [stored, observed] of [
        [{ vmid: 1, ...value }, without],
        [without, { vmid: 1, ...value }],
      ]) {
        assert.deepEqual(diffRows<Row, Row>([stored ?? without], [observed ?? without], byVmid).updates[0]?.fields, [
          field,
        ]);
      }
    });
  }

  it("has nothing to write when nothing changed, and everything when one side is empty", () => {
    const rows = fc.uniqueArray(fc.record({ vmid: fc.nat(), node: fc.string(), tags: fc.array(fc.string()) }), {
      selector: keyOf,
    });
    fc.assert(
      fc.property(rows, (some) => {
        assert.deepEqual(diffRows<Row, Row>(some, structuredClone(some), byVmid), {
          inserts: [],
          updates: [],
          vanished: [],
        });
        assert.deepEqual(diffRows<Row, Row>([], some, byVmid).inserts, some);
        assert.deepEqual(diffRows<Row, Row>(some, [], byVmid).vanished, some);
      }),
    );
  });
});
