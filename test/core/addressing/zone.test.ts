// Checks zone definitions, and which addresses they leave to assign.
import assert from "node:assert/strict";
import { formatAddress } from "../../../src/core/addressing/address.js";
import { readZone, zoneSize, type Zone, type ZoneDefinition } from "../../../src/core/addressing/zone.js";

function zone(definition: ZoneDefinition): Zone {
  const read = readZone(definition);
  assert.ok(read.ok);
  return read.value;
}

/** The whole zone, one by one. */
const everyAddress = ({ family, stretches }: Zone): string[] =>
  stretches.flatMap(({ first, last }) =>
    Array.from({ length: Number(last - first) + 1 }, (_, index) =>
      formatAddress({ family, value: first + BigInt(index) }),
    ),
  );

describe("core/addressing/zone", () => {
  const assigned: [definition: ZoneDefinition, addresses: string[]][] = [
    [{ cidr: "10.0.0.0/29" }, ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5", "10.0.0.6"]],
    [
      { cidr: "10.0.0.0/29", gateway: "10.0.0.1", excluded: ["10.0.0.3-10.0.0.4", "10.0.0.4"] },
      ["10.0.0.2", "10.0.0.5", "10.0.0.6"],
    ],
    [{ cidr: "10.0.0.0/29", rangeStart: "10.0.0.4", rangeEnd: "10.0.0.5" }, ["10.0.0.4", "10.0.0.5"]],
    [{ cidr: "10.0.0.0/29", rangeStart: "10.0.0.0", rangeEnd: "10.0.0.1" }, ["10.0.0.1"]],
    [{ cidr: "10.0.0.0/29", rangeStart: "10.0.0.6", rangeEnd: "10.0.0.7" }, ["10.0.0.6"]],
    [{ cidr: "10.0.0.4/31" }, ["10.0.0.4", "10.0.0.5"]],
    [{ cidr: "10.0.0.4/32", gateway: "192.0.2.1" }, ["10.0.0.4"]],
    [{ cidr: "2001:db8::/126", gateway: "2001:db8::1" }, ["2001:db8::2", "2001:db8::3"]],
    [{ cidr: "10.0.0.0/24", excluded: ["10.0.0.0/25", "10.0.0.130-10.0.0.255"] }, ["10.0.0.128", "10.0.0.129"]],
  ];
  for (const [definition, addresses] of assigned) {
    it(`${JSON.stringify(definition)} assigns ${addresses.join(", ")}`, () => {
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
});
