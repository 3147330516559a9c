// What broken transfers leave on the target's storages: removed when it is the move's own, named and in the way when it is not.
import assert from "node:assert/strict";
import { placeGuest } from "../../../simulator/scenarios/placeGuest.js";
import { lowestFreeVmid } from "../../../src/reads/models/nextVmid.js";
import { retry, breakRequests } from "./faults.js";
import { changedHosts } from "../changedHosts.js";
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
  type MoveStage,
  type QueuedMove,
} from "./stage.js";
import { PLACE } from "../place.js";
import { breakHalfway, killTasks, machine, putVolume, volumesOf } from "./volumes.js";

describe("leftovers of a transfer", function () {
  this.timeout(1_800_000);
  let stage: MoveStage;
  let vmid = 5800;
  before(async () => {
    stage = await openMoveStage();
  });
  after(() => stage.close());

  it("are removed with the transfer, so that a retry brings the machine whole, with its cloud-init drive", async () => {
    const number = vmid++;
    const guest = await placeAndSync(stage, { type: "qemu", vmid: number, status: "stopped", config: machine(number) });
    const move = await queueMove(stage, guest);
    const row = await breakHalfway(stage, move, { vmid: number });
    assert.equal(row["status"], "failed");
    assert.doesNotMatch(String(row["error"]), /left behind/);
    assert.deepEqual([guestOn(stage.target, number), volumesOf(stage, number)], [undefined, []]);
    const again = await retry(stage, move);
    assert.equal(again["status"], "done", String(again["error"]));
    const { ide2, scsi0 } = guestOn(stage.target, number)?.config ?? {};
    assert.deepEqual(
      [ide2, scsi0],
      [
        `local:${number}/vm-${number}-cloudinit.qcow2,media=cdrom,size=4M`,
        `local:${number}/vm-${number}-disk-0.qcow2,size=64M`,
      ],
    );
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
  });

  it("are removed of a container too", async () => {
    const number = vmid++;
    const config = { mp0: `local:${number}/vm-${number}-disk-1.raw,mp=/data,size=64M` };
    const guest = await placeAndSync(stage, { type: "lxc", vmid: number, status: "running", config });
    const move = await queueMove(stage, guest);
    const row = await breakHalfway(stage, move, { vmid: number });
    assert.equal(row["status"], "failed");
    assert.deepEqual([guestOn(stage.target, number), volumesOf(stage, number)], [undefined, []]);
    assert.equal((await retry(stage, move))["status"], "done");
  });

  it("keep what another user has on another storage under the VMID: the transfer's alone are removed", async () => {
    const number = vmid++;
    await addStorage(stage, stage.target, { name: "spare", type: "dir", totalGib: 4 });
    putVolume(stage, number, { storage: "spare" });
    const guest = await placeAndSync(stage, { type: "qemu", vmid: number, status: "stopped", config: machine(number) });
    const move = await queueMove(stage, guest);
    await breakHalfway(stage, move, { vmid: number, count: 3, how: killTasks });
    assert.deepEqual(volumesOf(stage, number), [`spare:${number}/vm-${number}-disk-0.qcow2`]);
  });

  /** A move whose transfer breaks, beside another user's volume of the VMID, and whose leftovers the target does not remove. */
  const leaveBehind = async (number: number): Promise<{ move: QueuedMove; error: string }> => {
    putVolume(stage, number, { storage: "spare" });
    const guest = await placeAndSync(stage, { type: "qemu", vmid: number, status: "stopped", config: machine(number) });
    const move = await queueMove(stage, guest);
    await breakRequests(stage.target, {
      method: "DELETE",
      path: "/storage/local/content/",
      status: 403,
      message: "Permission check failed (/storage/local, Datastore.Allocate)",
    });
    const row = await breakHalfway(stage, move, { vmid: number, count: 3, how: killTasks });
    const left = [`local:${number}/vm-${number}-cloudinit.qcow2`, `local:${number}/vm-${number}-disk-0.qcow2`];
    assert.deepEqual(volumesOf(stage, number), [...left, `spare:${number}/vm-${number}-disk-0.qcow2`]);
    return { move, error: String(row["error"]) };
  };

  it("that could not be removed are named, and removed before the next transfer by what the journal holds of them", async () => {
    const number = vmid++;
    const { move, error } = await leaveBehind(number);
    const named = error.split("; left behind: ")[1] ?? "";
    for (const volume of ["cloudinit", "disk-0"])
      assert.ok(named.includes(`local:${number}/vm-${number}-${volume}.qcow2`), named);
    const again = await retry(stage, move);
    assert.equal(again["status"], "done", String(again["error"]));
    assert.match(guestOn(stage.target, number)?.config["ide2"] ?? "", /-cloudinit\.qcow2/);
  });

  it("are removed before the next transfer although the target is away at first", async () => {
    const number = vmid++;
    const { move } = await leaveBehind(number);
    const away = { status: 595, message: "Connection refused" };
    await breakRequests(stage.target, { method: "DELETE", path: "/storage/local/content/", ...away });
    const again = await retry(stage, move);
    assert.deepEqual([again["status"], again["error"]], ["done", null]);
    assert.match(guestOn(stage.target, number)?.config["ide2"] ?? "", /-cloudinit\.qcow2/);
  });

  it("are looked for again only when the tasks of their removal have ended", async () => {
    const { move } = await leaveBehind(vmid++);
    const removals = new Set<string>();
    let removed = 0;
    let looksMeanwhile = 0;
    const hypervisors = changedHosts(stage.services.hypervisors, (host) => ({
      deleteVolume: async (...call) => {
        const upid = await host.deleteVolume(...call);
        removals.add(upid ?? assert.fail("a removal has a task"));
        return upid;
      },
      waitForTask: async (upid, options) => {
        const outcome = await host.waitForTask(upid, options);
        if (removals.delete(upid)) removed++;
        return outcome;
      },
      volumes: (...call) => {
        if (removals.size > 0) looksMeanwhile++;
        return host.volumes(...call);
      },
    }));
    const again = await retry({ ...stage, services: { ...stage.services, hypervisors } }, move);
    assert.deepEqual([again["status"], again["error"]], ["done", null]);
    assert.deepEqual([removed, looksMeanwhile], [2, 0]);
  });

  it("of another user block the plan and its start with their names, when the VMID was asked for", async () => {
    const number = vmid++;
    const guest = await placeAndSync(stage, { type: "qemu", vmid: number, status: "stopped", config: machine(number) });
    putVolume(stage, number, { name: `${number}/vm-${number}-cloudinit.qcow2` });
    const { problems } = await plan(stage, moveInput(stage, guest, { targetVmid: number }));
    assert.deepEqual(
      problems.map(({ code, message }) => [code, message]),
      [
        [
          "TARGET_VOLUMES_LEFT",
          `volumes on pveb have the VMID ${number} already: local:${number}/vm-${number}-cloudinit.qcow2`,
        ],
      ],
    );
    await assert.rejects(queueMove(stage, guest, { targetVmid: number }), { reason: "TARGET_VOLUMES_LEFT" });
  });

  it("of another user make the service choose another VMID, and do not as backups", async () => {
    const number = vmid++;
    const guest = await placeAndSync(stage, { type: "qemu", vmid: number, status: "stopped", config: machine(number) });
    putVolume(stage, number);
    const other = await plan(stage, moveInput(stage, guest));
    assert.notEqual(other.targetVmid, number);
    assert.equal(other.startable, true);
    const { state } = stage.target.host.platform;
    state.volumes = state.volumes.filter((volume) => volume.vmid !== number);
    putVolume(stage, number, { content: "backup", name: `backup/vzdump-qemu-${number}-2026_11_01-00_00_00.vma.zst` });
    assert.equal((await plan(stage, moveInput(stage, guest))).targetVmid, number);
  });

  it("keep a VMID from taking the place of one that the target refuses", async () => {
    const number = vmid++;
    const guest = await placeAndSync(stage, { type: "qemu", vmid: number, status: "stopped", config: machine(number) });
    const move = await queueMove(stage, guest);
    const { platform } = stage.target.host;
    const other = { type: "lxc", name: "other", status: "stopped", memory: 64, cores: 1, diskGb: 0 } as const;
    placeGuest(platform, { ...other, vmid: number, node: stage.target.node, config: {}, snapshots: [] });
    const next = await lowestFreeVmid(stage.services.pool, stage.target.hostId);
    putVolume(stage, next);
    await run(stage, move.jobId);
    const row = await migrationRow(stage, move.migrationId);
    assert.deepEqual([row["status"], row["error"]], ["done", null]);
    assert.notEqual(row["target_vmid"], number);
    assert.notEqual(row["target_vmid"], next);
    assert.deepEqual(volumesOf(stage, next), [`local:${next}/vm-${next}-disk-0.qcow2`]);
  });

  it("that come between the plan and the transfer fail it before anything was copied, and stay", async () => {
    const number = vmid++;
    const guest = await placeAndSync(stage, { type: "qemu", vmid: number, status: "stopped", config: machine(number) });
    const move = await queueMove(stage, guest);
    putVolume(stage, number);
    await run(stage, move.jobId);
    const row = await migrationRow(stage, move.migrationId);
    assert.equal(row["status"], "failed");
    assert.equal(
      row["error"],
      `${PLACE}: volumes on pveb have the VMID ${number} already: local:${number}/vm-${number}-disk-0.qcow2`,
    );
    assert.deepEqual(volumesOf(stage, number), [`local:${number}/vm-${number}-disk-0.qcow2`]);
    assert.equal(guestOn(stage.source, number)?.config["lock"], undefined);
  });

  it("on a storage that other hosts write to too are removed only as far as the transfer has named them", async () => {
    const number = vmid++;
    await addStorage(stage, stage.source, { name: "nfs", type: "dir", totalGib: 4 });
    await addStorage(stage, stage.target, { name: "nfs", type: "dir", totalGib: 4 });
    const shared = stage.target.host.platform.state.storages.get("nfs");
    assert.ok(shared !== undefined);
    shared.shared = true;
    const config = machine(number, "nfs");
    const guest = await placeAndSync(stage, { type: "qemu", vmid: number, status: "stopped", config });
    const move = await queueMove(stage, guest);
    const row = await breakHalfway(stage, move, { vmid: number });
    const partial = `nfs:${number}/vm-${number}-disk-0.qcow2`;
    assert.deepEqual(volumesOf(stage, number), [partial]);
    assert.ok(String(row["error"]).endsWith(`; left behind: ${partial} on node pveb, which no guest has`));
    const again = await retry(stage, move);
    assert.deepEqual(
      [again["status"], again["error"]],
      ["failed", `${PLACE}: volumes on pveb have the VMID ${number} already: ${partial}`],
    );
  });
});
