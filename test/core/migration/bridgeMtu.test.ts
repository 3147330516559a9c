// Checks which frames a guest's cards carry before and after a move.
import assert from "node:assert/strict";
import { guestCards } from "../../../src/hypervisor/proxmox/config/cards.js";
import { cardMoves } from "../../../src/core/migration/bridgeMtu.js";

const bridges = [
  { source: "vmbr0", target: "vmbr1", options: [], preselected: false },
  { source: "vmbr9", target: null, options: [], preselected: false },
];
const mtus = { source: new Map([["vmbr0", 9000]]), target: new Map([["vmbr1", 1400]]) };

const move = (net0: string, known = mtus) => cardMoves(guestCards({ net0 }), bridges, known);

describe("core/migration/bridgeMtu", () => {
  it("reports what both bridges of a card carry", () => {
    const ends = { source: "vmbr0", sourceMtu: 9000, target: "vmbr1", targetMtu: 1400 };
    assert.deepEqual(move("virtio=BC:24:11:00:00:01,bridge=vmbr0"), [{ card: "net0", mtu: null, ...ends }]);
  });
  it("counts 1500 bytes for a bridge that states nothing", () => {
    const [card] = move("virtio,bridge=vmbr0", { source: new Map(), target: new Map() });
    assert.deepEqual([card?.sourceMtu, card?.targetMtu], [1500, 1500]);
  });

  const stated: [mtu: string, told: number | null][] = [
    ["", null],
    [",mtu=1", null],
    [",mtu=2", 2],
    [",mtu=8000", 8000],
  ];
  for (const [mtu, told] of stated) {
    it(`a card ${mtu === "" ? "without an MTU" : `with${mtu.replace(",", " ")}`} states ${told ?? "none"} of its own`, () => {
      assert.equal(move(`virtio,bridge=vmbr0${mtu}`)[0]?.mtu, told);
    });
  }

  it("leaves out cards whose bridge goes nowhere yet, or that have none", () => {
    assert.deepEqual([...move("virtio,bridge=vmbr9"), ...move("virtio,bridge=vmbr2"), ...move("virtio")], []);
  });
});
