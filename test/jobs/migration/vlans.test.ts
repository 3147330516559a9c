// Guests with VLANs, and with a storage of their own for their states: what of these the target lacks is told in the plan.
import assert from "node:assert/strict";
import type { GuestType } from "../../../src/core/enums.js";
import { bridge } from "../../../simulator/state/node.js";
import {
  addStorage,
  migrationRow,
  moveInput,
  openMoveStage,
  placeAndSync,
  plan,
  queueMove,
  run,
  type MoveStage,
} from "./stage.js";

describe("the plan of a guest with VLANs", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  before(async () => {
    stage = await openMoveStage();
    setBridge("source", true);
  });
  after(() => stage.close());

  const setBridge = (side: "source" | "target", vlanAware: boolean): void => {
    const { host, node } = stage[side];
    const found = host.platform.state.nodes.get(node);
    assert.ok(found);
    found.network = [bridge("vmbr0", { vlanAware })];
  };
  const warned = async (guestId: number): Promise<string[]> => {
    const { problems, warnings } = await plan(stage, moveInput(stage, guestId));
    assert.deepEqual(problems, []);
    return warnings.map(({ code, message }) => `${code}: ${message}`);
  };

  const cards: [type: GuestType, vmid: number, net0: string, isWarned: boolean][] = [
    ["qemu", 861, "virtio=BC:24:11:00:08:61,bridge=vmbr0,tag=20", true],
    ["qemu", 862, "virtio=BC:24:11:00:08:62,bridge=vmbr0,trunks=2;3", true],
    ["qemu", 863, "virtio=BC:24:11:00:08:63,bridge=vmbr0", false],
    ["lxc", 864, "name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:08:64,tag=20,type=veth", true],
  ];
  for (const [type, vmid, net0, isWarned] of cards) {
    it(`${isWarned ? "warns of" : "does not mind"} a bridge that is not VLAN aware: ${net0}`, async () => {
      const guestId = await placeAndSync(stage, { type, vmid, status: "stopped", config: { net0 } });
      setBridge("target", false);
      const message =
        "cards with VLANs go to bridges that are not VLAN aware: net0 to vmbr0; they may not come up there";
      assert.deepEqual(await warned(guestId), isWarned ? [`BRIDGE_NOT_VLAN_AWARE: ${message}`] : []);
      setBridge("target", true);
      assert.deepEqual(await warned(guestId), []);
    });
  }

  it("refuses a storage for states that the target does not have", async () => {
    const config = { vmstatestorage: "tank" };
    const guestId = await placeAndSync(stage, { type: "qemu", vmid: 865, status: "stopped", config });
    const { problems, warnings } = await plan(stage, moveInput(stage, guestId));
    assert.deepEqual(
      [problems.map(({ code }) => code), warnings.map(({ message }) => message)],
      [
        ["STATE_STORAGE_UNMAPPED"],
        ["the target has no storage tank, where the states of the machine go: it cannot be hibernated there"],
      ],
    );
  });

  it("refuses a storage for states that the temporary token has no right on, and takes one that a disk goes to", async () => {
    await addStorage(stage, stage.target, { name: "fast", type: "dir", totalGib: 10 });
    const config = { vmstatestorage: "fast" };
    const guestId = await placeAndSync(stage, { type: "qemu", vmid: 866, status: "stopped", config });
    const { problems } = await plan(stage, moveInput(stage, guestId));
    assert.deepEqual(
      problems.map(({ code }) => code),
      ["STATE_STORAGE_UNMAPPED"],
    );
    const move = await queueMove(stage, guestId, { storageMap: [{ source: "local", target: "fast" }] });
    await run(stage, move.jobId);
    const { status, error } = await migrationRow(stage, move.migrationId);
    assert.deepEqual([status, error], ["done", null]);
  });
});
