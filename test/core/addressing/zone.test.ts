// Checks zone definitions, and that next free addresses are the lowest free ones in zones of every size.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { formatAddress, parseAddress } from "../../../src/core/addressing/address.js";
import { nextFree, type ZoneUse } from "../../../src/core/addressing/nextFree.js";
import { readZone, zoneSize, type Zone, type ZoneDefinition } from "../../../src/core/addressing/zone.js";

function zone(definition: ZoneDefinition): Zone {
  const read = readZone(definition);
  assert.ok(read.ok);
  return read.value;
}

const value = (text: string): bigint => parseAddress(text)?.value ?? -1n;
const unused: ZoneUse = { frontier: 0n, released: null, takenAhead: [] };
const next = (some: Zone, use: Partial<ZoneUse> = {}): string | null => {
  const assignment = nextFree(some, { ...unused, ...use });
  return assignment && formatAddress({ family: some.family, value: assignment.address });
};

/** The whole zone, handed out one by one. */
function everyAddress(some: Zone): string[] {
  const addresses: string[] = [];
  for (let use = unused; ;) {
    const assignment = nextFree(some, use);
    if (assignment === null) return addresses;
    addresses.push(formatAddress({ family: some.family, value: assignment.address }));
    use = { ...use, frontier: assignment.frontier };
  }
}

describe("core/addressing/zone", () => {
  const handedOut: [definition: ZoneDefinition, addresses: string[]][] = [
    [{ cidr: "10.0.0.0/29" }, ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5", "10.0.0.6"]],
    [
      { cidr: "10.0.0.0/29", gateway: "10.0.0.1", excluded: ["10.0.0.3-10.0.0.4", "10.0.0.4"] },
      ["10.0.0.2", "10.0.0.5", "10.0.0.6"],
    ],
    [{ cidr: "10.0.0.0/29", rangeStart: "10.0.0.4", rangeEnd: "10.0.0.5" }, ["10.0.0.4", "10.0.0.5"]],
    [{ cidr: "10.0.0.0/29", rangeStart: "10.0.0.0", rangeEnd: "10.0.0.1" }, ["10.0.0.1"]],
    [{ cidr: "10.0.0.4/31" }, ["10.0.0.4", "10.0.0.5"]],
    [{ cidr: "10.0.0.4/32", gateway: "192.0.2.1" }, ["10.0.0.4"]],
    [{ cidr: "2001:db8::/126", gateway: "2001:db8::1" }, ["2001:db8::2", "2001:db8::3"]],
    [{ cidr: "10.0.0.0/24", excluded: ["10.0.0.0/25", "10.0.0.130-10.0.0.255"] }, ["10.0.0.128", "10.0.0.129"]],
  ];
  for (const [definition, addresses] of handedOut) {
    it(`${JSON.stringify(definition)} hands out ${addresses.join(", ")}`, () => {
      assert.deepEqual(everyAddress(zone(definition)), addresses);
      assert.equal(zoneSize(zone(definition)), BigInt(addresses.length));
    });
  }

  const faults: [definition: ZoneDefinition, fields: string[]][] = [
    [{ cidr: "10.0.0.0" }, ["cidr"]],
    [{ cidr: "10.0.0.4/32", gateway: "10.0.0.4" }, ["cidr"]],
    [{ cidr: "10.0.0.0/24", rangeStart: "10.0.1.0" }, ["rangeStart"]],
    [{ cidr: "10.0.0.0/24", rangeEnd: "::1" }, ["rangeEnd"]],
    [{ cidr: "10.0.0.0/24", rangeStart: "10.0.0.9", rangeEnd: "10.0.0.8" }, ["rangeEnd"]],
    [{ cidr: "10.0.0.0/24", gateway: "fe80::1" }, ["gateway"]],
    [{ cidr: "10.0.0.0/24", vlan: 0, nameservers: ["dns"], excluded: ["::1"] }, ["vlan", "nameservers", "excluded"]],
    [{ cidr: "10.0.0.0/24", vlan: 4095 }, ["vlan"]],
  ];
  for (const [definition, fields] of faults) {
    it(`refuses ${JSON.stringify(definition)}`, () => {
      const read = readZone(definition);
      assert.deepEqual(read.ok ? [] : read.problems.map(({ field }) => field), fields);
    });
  }

  it("takes gateway and nameservers from elsewhere, and every VLAN there is", () => {
    for (const vlan of [1, 4094]) {
      assert.ok(readZone({ cidr: "10.0.0.0/24", vlan, nameservers: ["2001:db8::53", "1.1.1.1"] }).ok);
    }
  });

  it("hands out what came back first", () => {
    const some = zone({ cidr: "10.0.0.0/16" });
    const frontier = value("10.0.200.0");
    assert.equal(next(some, { frontier }), "10.0.200.0");
    assert.equal(next(some, { frontier, released: value("10.0.3.7") }), "10.0.3.7");
    assert.deepEqual(nextFree(some, { frontier, released: 5n, takenAhead: [] })?.frontier, frontier);
  });

  it("passes over addresses that are taken ahead of the frontier, and exclusions between them", () => {
    const some = zone({ cidr: "10.0.0.0/24", excluded: ["10.0.0.3"] });
    const takenAhead = ["10.0.0.1", "10.0.0.2", "10.0.0.4", "10.0.0.9"].map(value);
    assert.equal(next(some, { takenAhead }), "10.0.0.5");
    assert.equal(next(some, { frontier: value("10.0.0.9"), takenAhead }), "10.0.0.10");
  });

  it("is full behind its last address", () => {
    const some = zone({ cidr: "10.0.0.0/24" });
    assert.equal(next(some, { frontier: value("10.0.0.254") }), "10.0.0.254");
    assert.equal(next(some, { frontier: value("10.0.0.254"), takenAhead: [value("10.0.0.254")] }), null);
    assert.equal(next(some, { frontier: value("10.0.0.255") }), null);
  });

  it("hands out the start and the end of an IPv6 /64", () => {
    const some = zone({ cidr: "2001:db8::/64", gateway: "2001:db8::1" });
    assert.equal(next(some), "2001:db8::2");
    assert.equal(next(some, { frontier: value("2001:db8::ffff:ffff:ffff:ffff") }), "2001:db8::ffff:ffff:ffff:ffff");
  });

  it("never hands out an address twice, nor one that may not be assigned, whatever comes back in between", () => {
    const some = zone({ cidr: "10.0.0.0/26", gateway: "10.0.0.1", excluded: ["10.0.0.8/29"] });
    const assignable = everyAddress(some).map(value);
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat())), (events) => {
        const taken = new Set<bigint>();
        let frontier = 0n;
        for (const event of events) {
          if (event !== null) taken.delete([...taken][event % Math.max(1, taken.size)] ?? -1n);
          const back = assignable.find((one) => one < frontier && !taken.has(one));
          const assignment = nextFree(some, { frontier, released: back ?? null, takenAhead: [] });
          if (assignment === null) return;
          assert.ok(!taken.has(assignment.address));
          assert.ok(assignable.includes(assignment.address));
          taken.add(assignment.address);
          frontier = assignment.frontier;
        }
      }),
    );
  });
});
