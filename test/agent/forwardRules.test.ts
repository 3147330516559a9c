// Which forwards a node takes: its own ports, its own addresses, what listens on it, and whose address it is.
import assert from "node:assert/strict";
import { forwardFault, forwardFaultOn, reportFaults, vetForwards } from "../../agent/forwardRules.js";
import { parseListeners, parseRoutes4, parseRoutes6 } from "../../agent/platform/kernelTables.js";
import type { NodeNetwork } from "../../agent/platform/nodeNetwork.js";
import type { PortForward } from "../../agent/platform/platform.js";
import { nodeServiceOn } from "../../src/core/forwarding/nodePorts.js";

const FORWARD: PortForward = { id: "7", protocol: "tcp", publicPort: 2222, guestAddress: "10.77.0.5", guestPort: 22 };

describe("agent: what no node forwards", () => {
  it("is every port that the service counts as a node's own, and no other", () => {
    for (const protocol of ["tcp", "udp"] as const) {
      for (let publicPort = 1; publicPort <= 65_535; publicPort++) {
        const fault = forwardFault({ ...FORWARD, protocol, publicPort });
        const service = nodeServiceOn(protocol, publicPort);
        if (service === null) assert.equal(fault, null, `${protocol} ${publicPort}`);
        else assert.equal(fault, `forward 7: public ${protocol} port ${publicPort} is the node's own, for ${service}`);
      }
    }
  });

  const nobody = ["127.0.0.1", "0.0.0.0", "169.254.169.254", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1"];
  for (const guestAddress of [...nobody, "ff02::1", "::ffff:127.0.0.1", "::ffff:10.77.0.5"]) {
    it(`is anything to ${guestAddress}`, () => {
      assert.equal(forwardFault({ ...FORWARD, guestAddress }), `forward 7: ${guestAddress} is no address of a guest`);
    });
  }

  for (const guestAddress of ["10.77.0.5", "192.168.1.9", "100.64.0.3", "203.0.113.77", "fd00::7", "2001:db8::7"]) {
    it(`is nothing of ${guestAddress}`, () => assert.equal(forwardFault({ ...FORWARD, guestAddress }), null));
  }
});

/** A line of /proc/net/tcp with a listening socket. */
const listening = (local: string): string => `0: ${local} 00000000:0000 0A 0:0 00:0 0 0 0 1\n`;

const ROUTES4 = `Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT
vmbr0 00000000 010071CB 0003 0 0 0 00000000 0 0 0
vmbr0 000071CB 00000000 0001 0 0 0 00FFFFFF 0 0 0
vmbr1 00004D0A 00000000 0001 0 0 0 00FFFFFF 0 0 0
vmbr0 0A004D0A 010071CB 0007 0 0 0 FFFFFFFF 0 0 0
* 00001FAC 00000000 0201 0 0 0 0000FFFF 0 0 0
`;
const ROUTES6 = `fd000000000000000000000000000000 40 ${"0".repeat(32)} 00 ${"0".repeat(32)} 00000100 1 0 00000001 vmbr1
${"0".repeat(32)} 00 ${"0".repeat(32)} 00 fd000000000000000000000000000001 00000400 3 0 00000003 vmbr0
`;

const NETWORK: NodeNetwork = {
  listeners: parseListeners(
    "tcp",
    listening("00000000:08AE") + listening("01004D0A:0035") + listening("0100007F:0CEA"),
  ),
  own: new Set(["203.113.0.4", "10.77.0.1"]),
  publicAddress: "203.113.0.4",
  routes: [...parseRoutes4(ROUTES4), ...parseRoutes6(ROUTES6)],
  neighbours: new Map([
    ["10.77.0.6", "bc:24:11:00:00:06"],
    ["10.77.0.7", "02:00:00:00:00:07"],
  ]),
  guests: { cards: new Set(["bc:24:11:00:00:06"]), addresses: new Set(["172.31.9.9", "10.77.0.7"]) },
};

describe("agent: what this node does not forward", () => {
  const refused: readonly (readonly [name: string, forward: Partial<PortForward>, problem: RegExp])[] = [
    ["a port that a program listens on", { publicPort: 2222 }, /^forward 7: a program of the node listens on tcp port/],
    ["to the node itself", { guestAddress: "10.77.0.1" }, /10\.77\.0\.1 is an address of the node itself/],
    ["to the public address", { guestAddress: "203.113.0.4" }, /203\.113\.0\.4 is an address of the node itself/],
    ["to an address behind the gateway", { guestAddress: "8.8.8.8" }, /8\.8\.8\.8 is in no network of the node/],
    ["to one behind a gateway inside a network of it", { guestAddress: "10.77.0.10" }, /is in no network of the node/],
    ["to a network that it refuses", { guestAddress: "172.31.1.1" }, /is in no network of the node/],
    ["to an IPv6 address behind the gateway", { guestAddress: "2606::1" }, /2606::1 is in no network of the node/],
    [
      "to a neighbour that is no guest",
      { guestAddress: "203.113.0.1" },
      /203\.113\.0\.1 is at 02:fc:00:00:00:05, which/,
    ],
  ];
  const neighbours = new Map([...NETWORK.neighbours, ["203.113.0.1", "02:fc:00:00:00:05"]]);
  for (const [name, change, problem] of refused) {
    it(`is ${name}`, () => {
      const fault = forwardFaultOn({ ...NETWORK, neighbours }, { ...FORWARD, publicPort: 3333, ...change });
      assert.match(fault ?? "", problem);
    });
  }

  const taken: readonly (readonly [name: string, forward: Partial<PortForward>])[] = [
    ["to a neighbour that is a guest", { guestAddress: "10.77.0.6" }],
    ["to an address that does not answer", { guestAddress: "10.77.0.99" }],
    ["to an address of a configuration, whatever card answers there", { guestAddress: "10.77.0.7" }],
    ["to an address of a configuration that lies behind a gateway", { guestAddress: "172.31.9.9" }],
    ["to an IPv6 address of its networks, however it is written", { guestAddress: "FD00:0:0::7" }],
    ["a port of the other protocol", { publicPort: 2222, protocol: "udp" }],
    ["a port that a program listens on at another address", { publicPort: 53 }],
    ["a port that a program listens on for the node alone", { publicPort: 3306 }],
  ];
  for (const [name, change] of taken) {
    it(`is nothing ${name}`, () => {
      assert.equal(forwardFaultOn(NETWORK, { ...FORWARD, publicPort: 3333, ...change }), null);
    });
  }

  it("is a port of any address when the public one belongs to a NAT before the node", () => {
    const fault = forwardFaultOn({ ...NETWORK, publicAddress: null }, { ...FORWARD, publicPort: 53 });
    assert.match(fault ?? "", /listens on tcp port 53/);
  });

  it("is separated from the rest of a set, and reported with every reason at once", () => {
    const set = [1, 2, 3].map((publicPort) => ({ ...FORWARD, publicPort }));
    const vetted = vetForwards(set, ({ publicPort }) => (publicPort === 2 ? null : `no ${publicPort}`));
    assert.deepEqual(vetted, { taken: [set[1]], faults: ["no 1", "no 3"] });
    assert.throws(() => reportFaults(vetted.faults), /^Error: no 1; no 3 \(the other forwards are in force\)$/);
    reportFaults([]);
  });
});
