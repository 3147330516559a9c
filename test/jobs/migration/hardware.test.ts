// Machines that the target cannot build, or not alike: found in the plan, where the platform would find out after the copy.
import assert from "node:assert/strict";
import { placeGuest, type GuestPlan } from "../../../simulator/scenarios/placeGuest.js";
import { syncHost } from "../../../src/inventory/syncHost.js";
import { guestOn, moveInput, openMoveStage, placeAndSync, plan, type MoveStage } from "./stage.js";

describe("the plan of a machine that is built for its node", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  let vmid = 840;
  before(async () => {
    stage = await openMoveStage();
  });
  after(() => stage.close());

  const found = async (status: "running" | "stopped", config: GuestPlan["config"]) => {
    const guestId = await placeAndSync(stage, { type: "qemu", vmid: ++vmid, status, config });
    const { problems, warnings } = await plan(stage, moveInput(stage, guestId));
    return [...problems, ...warnings].map(({ code }) => code);
  };
  const targetNode = () => {
    const node = stage.target.host.platform.state.nodes.get(stage.target.node);
    assert.ok(node);
    return node;
  };

  it("is in order when both nodes are alike", async () => {
    assert.deepEqual(await found("running", { cpu: "host", machine: "pc-q35-9.2+pve0", cores: 2 }), []);
    assert.deepEqual(await found("stopped", { cpu: "x86-64-v3" }), []);
  });

  it("is blocked by a machine type that only a newer QEMU supports", async () => {
    assert.deepEqual(await found("stopped", { machine: "pc-q35-12.0" }), ["MACHINE_TYPE_TOO_NEW"]);
  });

  it("is blocked by more processors than the target has", async () => {
    const { cpus } = targetNode();
    assert.deepEqual(await found("stopped", { sockets: 2, cores: cpus }), ["NOT_ENOUGH_CORES"]);
    assert.deepEqual(await found("stopped", { cores: cpus }), []);
  });

  it("is blocked by a CPU model that the target's processor lacks, and warned of another processor", async () => {
    const node = targetNode();
    const { processor } = node;
    node.processor = { ...processor, model: "Intel Xeon E5-2670", flags: processor.flags.replace(" avx2", "") };
    assert.deepEqual(await found("stopped", { cpu: "x86-64-v3" }), ["CPU_MODEL_UNSUPPORTED"]);
    assert.deepEqual(await found("running", { cpu: "host" }), ["CPU_DIFFERS"]);
    assert.deepEqual(await found("stopped", { cpu: "host" }), []);
    assert.deepEqual(await found("stopped", { cpu: "EPYC-Milan" }), ["CPU_DIFFERS"]);
    node.processor = processor;
  });

  it("reports what the platform itself would find out when it starts the machine", async () => {
    const hypervisor = await stage.services.hypervisors.of(stage.target.hostId);
    const { platform } = stage.target.host;
    const node = targetNode();
    const impossible: GuestPlan["config"][] = [
      { machine: "pc-q35-12.0" },
      { cpu: "x86-64-v4" },
      { cores: node.cpus + 1 },
    ];
    for (const config of impossible) {
      const machine = { type: "qemu", vmid: ++vmid, node: node.name, name: "built", status: "stopped" } as const;
      placeGuest(platform, { ...machine, memory: 64, cores: 1, diskGb: 0.0625, snapshots: [], config });
      const upid = await hypervisor.power({ type: "qemu", node: node.name, vmid }, "start");
      assert.equal((await hypervisor.waitForTask(upid)).succeeded, false, JSON.stringify(config));
    }
  });

  it("does not judge what the connection may not see, and reports that a right is missing", async () => {
    const { access } = stage.target.host.platform.state;
    const token = access.users.get("root@pam")?.tokens.get("panel");
    assert.ok(token);
    const node = targetNode();
    const { processor } = node;
    node.processor = { ...processor, flags: "fpu" };
    token.privilegeSeparated = true;
    access.rules.push(
      { path: "/", type: "token", ugid: "root@pam!panel", roleid: "Administrator", propagate: true },
      { path: "/nodes", type: "token", ugid: "root@pam!panel", roleid: "PVEVMAdmin", propagate: true },
    );
    const codes = await found("stopped", { cpu: "x86-64-v3" });
    access.rules = access.rules.filter(({ ugid }) => ugid !== "root@pam!panel");
    token.privilegeSeparated = false;
    node.processor = processor;
    assert.deepEqual(codes, ["TARGET_PRIVILEGES_MISSING"]);
    assert.equal(guestOn(stage.target, vmid), undefined);
    await syncHost(stage.services, stage.target.hostId, { thorough: true });
  });
});
