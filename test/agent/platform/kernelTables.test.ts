// The tables of /proc/net, as kernels write them.
import assert from "node:assert/strict";
import { parseListeners, parseNeighbours, parseRoutes4, parseRoutes6 } from "../../../agent/platform/kernelTables.js";

const TCP = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1076 1 000000008a7e88e8 100 0 0 10 0
   1: 0100007F:0CEA 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1077 1 000000008a7e88e8 100 0 0 10 0
   2: 047100CB:0016 057100CB:C35A 01 00000000:00000000 02:000A7F2B 00000000     0        0 1078 2 000000008a7e88e8 20 4 30 10 -1
   3: 047100CB:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1079 1 000000008a7e88e8 100 0 0 10 0
`;

const TCP6 = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000000000000:1F46 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1080 1 0 100 0 0 10 0
   1: 00000000000000000000000001000000:0050 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1081 1 0 100 0 0 10 0
   2: B80D0120000000000000000004000000:01BB 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1082 1 0 100 0 0 10 0
   3: 0000000000000000FFFF0000047100CB:0051 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1083 1 0 100 0 0 10 0
`;

const UDP = `   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
  351: 00000000:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 2001 2 0000000012345678 0
  352: 047100CB:9C41 08080808:0035 01 00000000:00000000 00:00000000 00000000     0        0 2002 2 0000000012345679 0
`;

const listenersOf = (protocol: "tcp" | "udp", text: string) =>
  parseListeners(protocol, text).map(({ port, address }) => [port, address === null ? null : address.toString()]);

describe("agent: the kernel's tables", () => {
  it("name what listens for others, at all addresses or at one", () => {
    assert.deepEqual(listenersOf("tcp", TCP), [
      [22, null],
      [8080, "203.0.113.4"],
    ]);
    assert.deepEqual(listenersOf("tcp", TCP6), [
      [8006, null],
      [443, "2001:db8::4"],
      [81, "203.0.113.4"],
    ]);
    assert.deepEqual(listenersOf("udp", UDP), [[53, null]]);
    assert.deepEqual(listenersOf("tcp", ""), []);
  });

  it("name networks with the length of their prefix, and whether a gateway leads there", () => {
    const text = `Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
vmbr0\t00000000\t017100CB\t0003\t0\t0\t0\t00000000\t0\t0\t0
vmbr0\t007100CB\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
vmbr1\t0000FE0A\t00000000\t0001\t0\t0\t0\t00C0FFFF\t0\t0\t0
*\t00001FAC\t00000000\t0201\t0\t0\t0\t0000FFFF\t0\t0\t0
`;
    assert.deepEqual(
      parseRoutes4(text).map(({ network, length, hasGateway }) => [`${network.toString()}/${length}`, hasGateway]),
      [
        ["0.0.0.0/0", true],
        ["203.0.113.0/24", false],
        ["10.254.0.0/18", false],
      ],
    );
  });

  it("name networks of IPv6", () => {
    const none = "0".repeat(32);
    const text = `20010db8000000000000000000000000 40 ${none} 00 ${none} 00000100 00000001 00000000 00000001    vmbr0
${none} 00 ${none} 00 fe800000000000000000000000000001 00000400 00000003 00000000 00000003    vmbr0
20010db8000000000000000000000004 80 ${none} 00 ${none} 00000000 00000004 00000000 80200001       lo
`;
    assert.deepEqual(
      parseRoutes6(text).map(({ network, length, hasGateway }) => [`${network.toString()}/${length}`, hasGateway]),
      [
        ["2001:db8::/64", false],
        ["::/0", true],
        ["2001:db8::4/128", false],
      ],
    );
  });

  it("name the card at each address that has answered", () => {
    const text = `IP address       HW type     Flags       HW address            Mask     Device
10.77.0.5        0x1         0x2         BC:24:11:AA:BB:05     *        vmbr1
10.77.0.9        0x1         0x0         00:00:00:00:00:00     *        vmbr1
`;
    assert.deepEqual([...parseNeighbours(text)], [["10.77.0.5", "bc:24:11:aa:bb:05"]]);
  });
});
