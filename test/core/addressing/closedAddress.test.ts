// Addresses at which no host is connected, in every way in which they can be written, and those that an operator opens.
import assert from "node:assert/strict";
import { openAddresses } from "../../../src/core/addressing/closedAddress.js";

const CLOSED = [
  ..."127.0.0.1 127.255.255.254 0.0.0.0 0.1.2.3 169.254.169.254 169.254.0.1 224.0.0.1 239.255.255.250 255.255.255.255".split(
    " ",
  ),
  ...":: ::1 fe80::1 febf::1 ff02::1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:169.254.169.254 64:ff9b::7f00:1".split(" "),
  ..."2002:7f00:1:: ::ffff:0:127.0.0.1 fd00:ec2::254 100.100.100.200 168.63.129.16 127.1 0x7f000001 2130706433 0177.0.0.1".split(
    " ",
  ),
  ..."fe80::1%eth0 localhost".split(" "),
];
const OPEN = [
  ..."10.0.0.5 172.16.3.4 192.168.1.10 203.0.113.5 8.8.8.8 100.64.0.7 192.0.2.10".split(" "),
  ..."2001:db8::5 fd00::5 ::ffff:10.0.0.5 64:ff9b::a00:5 2002:a00:5::1".split(" "),
];

describe("core/addressing/closedAddress", () => {
  it("closes the machine itself, its link, groups, and the clouds' metadata, however they are written", () => {
    const isOpen = openAddresses([]);
    assert.deepEqual(CLOSED.filter(isOpen), []);
  });

  it("leaves all others open, private networks among them", () => {
    const isOpen = openAddresses([]);
    assert.deepEqual(
      OPEN.filter((address) => !isOpen(address)),
      [],
    );
  });

  it("opens what the operator names, and no more", () => {
    const isOpen = openAddresses(["127.0.0.1", "fe80::/10"]);
    assert.deepEqual(["127.0.0.1", "::ffff:127.0.0.1", "fe80::7", "10.0.0.5"].map(isOpen), [true, true, true, true]);
    assert.deepEqual(["127.0.0.2", "::1", "169.254.169.254"].map(isOpen), [false, false, false]);
  });

  it("takes nothing that is no address", () => {
    assert.throws(() => openAddresses(["10.0.0.0/33"]), /neither an IP address nor a CIDR/);
  });
});
