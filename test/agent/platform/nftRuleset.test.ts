// The nftables text of a set of port forwards, compared as a whole, and what sets are taken at all.
import assert from "node:assert/strict";
import { parseForwards } from "../../../agent/forwardSet.js";
import { forwardsRuleset } from "../../../agent/platform/nftRuleset.js";
import type { PortForward } from "../../../agent/platform/platform.js";

const SSH: PortForward = { id: "1", protocol: "tcp", publicPort: 2222, guestAddress: "10.0.0.5", guestPort: 22 };
const DNS: PortForward = { id: "2", protocol: "udp", publicPort: 5353, guestAddress: "10.0.0.6", guestPort: 53 };
const WEB: PortForward = { id: "3", protocol: "tcp", publicPort: 8080, guestAddress: "fd00::7", guestPort: 80 };

describe("nftables ruleset", () => {
  it("forwards what arrives at the public address, or at any address of the node in the other family", () => {
    assert.equal(
      forwardsRuleset([SSH, DNS, WEB], "203.0.113.4"),
      `table inet drover
delete table inet drover
table inet drover {
	chain prerouting {
		type nat hook prerouting priority -100; policy accept;
		ip daddr 203.0.113.4 tcp dport 2222 dnat ip to 10.0.0.5:22
		ip daddr 203.0.113.4 udp dport 5353 dnat ip to 10.0.0.6:53
		meta nfproto ipv6 fib daddr type local tcp dport 8080 dnat ip6 to [fd00::7]:80
	}
}
`,
    );
  });

  it("forwards what arrives at any address when the public one is not on the node", () => {
    assert.match(
      forwardsRuleset([SSH], null),
      /\n\t\tmeta nfproto ipv4 fib daddr type local tcp dport 2222 dnat ip to/,
    );
  });

  it("leaves nothing for an empty set", () => {
    assert.equal(forwardsRuleset([], "203.0.113.4"), "table inet drover\ndelete table inet drover\n");
  });
});

describe("set of port forwards", () => {
  const wire = { id: 1, protocol: "tcp", public_port: 2222, guest_address: "10.0.0.5", guest_port: 22 };

  it("reads the wire form; ids are numbers or texts", () => {
    assert.deepEqual(parseForwards([wire, { ...wire, id: "b", public_port: 1 }]), [
      SSH,
      { ...SSH, id: "b", publicPort: 1 },
    ]);
  });

  it("takes one port for IPv4 and IPv6, and for TCP and UDP", () => {
    const set = [wire, { ...wire, guest_address: "fd00::1" }, { ...wire, protocol: "udp" }];
    assert.equal(parseForwards(set).length, 3);
  });

  const bad: [string, unknown, RegExp][] = [
    ["no list", {}, /must be a list/],
    ["no object", [1], /forwards\[0\] must be an object/],
    ["no id", [{ ...wire, id: undefined }], /forwards\[0\]\.id/],
    ["another protocol", [wire, { ...wire, protocol: "sctp" }], /forwards\[1\]\.protocol/],
    ["port 0", [{ ...wire, public_port: 0 }], /public_port must be 1 to 65535/],
    ["port 65536", [{ ...wire, guest_port: 65_536 }], /guest_port must be 1 to 65535/],
    ["a port as text", [{ ...wire, public_port: "22; drop" }], /public_port/],
    ["a name for an address", [{ ...wire, guest_address: "guest" }], /guest_address/],
    ["an address with more behind it", [{ ...wire, guest_address: "10.0.0.5; flush ruleset" }], /guest_address/],
    ["an address with an interface", [{ ...wire, guest_address: "fe80::1%vmbr0" }], /guest_address/],
    ["one port twice", [wire, { ...wire, id: 9 }], /forwards 1 and 9 both want public tcp port 2222 \(IPv4\)/],
  ];
  for (const [name, input, fault] of bad) it(`refuses ${name}`, () => assert.throws(() => parseForwards(input), fault));
});
