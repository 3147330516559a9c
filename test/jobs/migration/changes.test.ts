// Moves whose guest or hosts were changed by somebody else: found before anything is copied.
import assert from "node:assert/strict";
import { boot, cutPower } from "../../../simulator/guests/nodePower.js";
import { syncHost } from "../../../src/inventory/syncHost.js";
import { refusedAs } from "../../support/refusal.js";
import {
  addStorage,
  guestOn,
  leftovers,
  migrationRow,
  moveInput,
  NOTHING_LEFT,
  openMoveStage,
  placeAndSync,
  plan,
  queueMove,
  run,
  transfersOf,
  type MoveStage,
} from "./stage.js";
import { PLACE } from "../place.js";

describe("a move that something has come between", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  let vmid = 600;
  before(async () => {
    stage = await openMoveStage({ targetNodes: ["pveb", "pvec", "pved"] });
    for (const side of [stage.source, stage.target]) {
      await addStorage(stage, side, { name: "fast", type: "lvm", totalGib: 10 });
    }
    await addStorage(stage, stage.source, { name: "tank", type: "zfspool", totalGib: 10 });
  });
  after(() => stage.close());
  beforeEach(() => {
    vmid++;
  });

  /** Starts a move, lets something happen, and runs it: it must fail without a trace. @returns its error */
  const failedAfter = async (happen: () => void): Promise<string> => {
    const { migrationId, jobId } = await queueMove(
      stage,
      await placeAndSync(stage, { type: "qemu", vmid, status: "running" }),
    );
    happen();
    await run(stage, jobId);
    const row = await migrationRow(stage, migrationId);
    assert.equal(row["status"], "failed");
    assert.equal(transfersOf(stage, vmid), 0, "nothing was begun");
    assert.notEqual(guestOn(stage.source, vmid)?.runtime, null);
    assert.equal(guestOn(stage.target, vmid), undefined);
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
    return String(row["error"]);
  };

  const edit = (changes: Record<string, string>) => (): void => {
    Object.assign(guestOn(stage.source, vmid)?.config ?? {}, changes);
  };

  it("is planned again when the guest got a disk on a further storage", async () => {
    const error = await failedAfter(() => edit({ scsi1: `fast:vm-${vmid}-disk-1,size=1G` })());
    assert.equal(error, `${PLACE}: since the move was planned, the guest has come to use fast: plan the move again`);
  });

  it("is planned again when the guest got a card on a further bridge", async () => {
    const error = await failedAfter(edit({ net1: "virtio=BC:24:11:00:06:01,bridge=vmbr1" }));
    assert.match(error, /vmbr1/);
  });

  it("is refused when the guest got a device of its node", async () => {
    assert.match(await failedAfter(edit({ usb0: "host=1-1" })), /usb0/);
  });

  it("is refused when the guest got a disk that waits for its restart", async () => {
    const error = await failedAfter(() => {
      const scsi1 = `local:${vmid}/vm-${vmid}-disk-1.qcow2,size=1G`;
      Object.assign(guestOn(stage.source, vmid)?.pending ?? {}, { scsi1 });
    });
    assert.equal(error, `${PLACE}: disks that wait for a restart would belong to no guest on the target: scsi1`);
  });

  it("is refused when the guest got a replication job", async () => {
    const error = await failedAfter(() => Object.assign(guestOn(stage.source, vmid) ?? {}, { replicatedTo: "pvea2" }));
    assert.equal(error, `${PLACE}: the guest has a replication job`);
  });

  it("is refused when the target's cluster has lost its quorum, in the plan and at the start", async () => {
    const { platform } = stage.target.host;
    const lost = ["pvec", "pved"].flatMap((name) => platform.state.nodes.get(name) ?? []);
    const error = await failedAfter(() => {
      for (const node of lost) cutPower(platform, node);
    });
    assert.equal(error, `${PLACE}: the cluster of pveb has no quorum: nothing of it can be changed`);
    await syncHost(stage.services, stage.target.hostId);
    const guestId = await placeAndSync(stage, { type: "qemu", vmid: ++vmid, status: "running" });
    const { problems } = await plan(stage, moveInput(stage, guestId));
    assert.deepEqual(
      problems.map(({ code }) => code),
      ["NO_QUORUM"],
    );
    assert.equal((await refusedAs("conflict", queueMove(stage, guestId))).reason, "NO_QUORUM");
    for (const node of lost) boot(platform, node);
    await syncHost(stage.services, stage.target.hostId);
    assert.deepEqual((await plan(stage, moveInput(stage, guestId))).problems, []);
  });

  const drives: readonly [what: string, config: Record<string, string>][] = [
    ["a cloud-init drive", { ide2: "tank:vm-VMID-cloudinit,media=cdrom" }],
    ["a TPM state", { tpmstate0: "tank:vm-VMID-disk-1,size=4M,version=v2.0" }],
    ["an unused disk", { unused0: "tank:vm-VMID-disk-2" }],
  ];
  for (const [what, config] of drives) {
    it(`is refused live as well when ${what} lies on ZFS and is to go elsewhere`, async () => {
      const own = Object.fromEntries(
        Object.entries(config).map(([key, value]) => [key, value.replace("VMID", `${vmid}`)]),
      );
      const guestId = await placeAndSync(stage, { type: "qemu", vmid, status: "running", config: own });
      const storageMap = [{ source: "tank", target: "fast" }];
      const { problems, mode } = await plan(stage, moveInput(stage, guestId, { storageMap }));
      assert.equal(mode, "live");
      assert.deepEqual(
        problems.map(({ code }) => code),
        ["STORAGE_FORMAT_MISMATCH"],
      );
    });
  }

  it("mirrors a running machine's disk from ZFS, with its UEFI variables", async () => {
    const scsi0 = `tank:vm-${vmid}-disk-0,size=64M`;
    const efidisk0 = `tank:vm-${vmid}-disk-1,efitype=4m,size=528K`;
    const guestId = await placeAndSync(stage, { type: "qemu", vmid, status: "running", config: { scsi0, efidisk0 } });
    const storageMap = [{ source: "tank", target: "fast" }];
    const { migrationId, jobId } = await queueMove(stage, guestId, { storageMap });
    await run(stage, jobId);
    assert.equal((await migrationRow(stage, migrationId))["error"], null);
    assert.match(guestOn(stage.target, vmid)?.config["efidisk0"] ?? "", /^fast:/);
  });
});
