// Guests that the host itself looks after: by high availability, replication, a firewall, backup jobs and pools.
import assert from "node:assert/strict";
import { deleteGuest } from "../../src/actions/guest/deleteGuest.js";
import { reinstallGuest } from "../../src/actions/guest/reinstallGuest.js";
import type { GuestType } from "../../src/core/enums.js";
import { runJob } from "../../jobs/executor.js";
import { placeGuest } from "../../simulator/scenarios/placeGuest.js";
import { contextFor } from "../support/viewers.js";
import { CONTAINER_TEMPLATE, jobRow, openStage, sync, type Stage } from "./creation.js";
import { executorFor, tasksOf } from "./killing.js";

describe("a guest that its host looks after", () => {
  let stage: Stage;
  let vmid = 300;
  before(async () => {
    stage = await openStage(undefined, ["pvea", "pveb"]);
  });
  after(() => stage.close());

  const place = async (type: GuestType, changes: Partial<Parameters<typeof placeGuest>[1]>): Promise<number> => {
    vmid++;
    const plan = { node: "pvea", name: `g${vmid}`, status: "running", memory: 128, cores: 1, diskGb: 3 } as const;
    placeGuest(stage.host.platform, { ...plan, type, vmid, config: {}, snapshots: [], ...changes });
    await sync(stage);
    return vmid;
  };
  const errorOf = async ({ jobId }: { readonly jobId: number }): Promise<unknown> => {
    await runJob(executorFor(stage.services, "test"), jobId);
    return (await jobRow(stage, jobId))["error"];
  };
  const remove = async (type: GuestType): Promise<unknown> =>
    errorOf(await deleteGuest(await contextFor(stage.services), { hostId: stage.hostId, type, vmid }));
  const reinstall = async (type: GuestType): Promise<unknown> => {
    const osTemplate = type === "qemu" ? `tpl:${stage.templateId}` : CONTAINER_TEMPLATE;
    const request = { osTemplate, password: "correct horse" };
    return errorOf(
      await reinstallGuest(await contextFor(stage.services), { hostId: stage.hostId, type, vmid }, request),
    );
  };
  const isRunning = (): boolean => (stage.host.platform.state.guests.get(vmid)?.runtime ?? null) !== null;

  for (const type of ["qemu", "lxc"] as const) {
    it(`is deleted once high availability has stopped it: ${type}`, async () => {
      await place(type, { hastate: "started" });
      const { clock } = stage.host.platform;
      const { timeFactor } = clock;
      clock.timeFactor = 20;
      assert.equal(await remove(type), null);
      clock.timeFactor = timeFactor;
      assert.equal(tasksOf(stage, "hastop", vmid), 1);
      assert.equal(stage.host.platform.state.guests.has(vmid), false);
    });

    const obstacles: readonly [what: string, changes: Partial<Parameters<typeof placeGuest>[1]>, error: string][] = [
      ["by high availability", { hastate: "started" }, "the guest is managed by high availability"],
      ["by replication", { replicatedTo: "pveb" }, "the guest has a replication job"],
      [
        "by firewall rules",
        { firewall: "[RULES]\n\n|IN ACCEPT -p tcp\n" },
        "the guest has firewall rules that would be lost",
      ],
      ["by a firewall", { firewall: "[OPTIONS]\n\nenable: 1\n" }, "the guest has firewall rules that would be lost"],
    ];
    for (const [what, changes, error] of obstacles) {
      it(`is not installed anew while it is kept ${what}: ${type}`, async () => {
        await place(type, changes);
        assert.equal(await reinstall(type), error);
        assert.equal(isRunning(), true);
      });
    }

    it(`stays in its pool and in the backup jobs when it is installed anew: ${type}`, async () => {
      await place(type, {});
      const { access, backedUp } = stage.host.platform.state;
      const vmids = new Set([vmid]);
      access.pools.set(type, { poolid: type, comment: "", vmids, storages: new Set() });
      backedUp.add(vmid);
      assert.equal(await reinstall(type), null);
      assert.equal(vmids.has(vmid), true);
      assert.equal(backedUp.has(vmid), true);
      assert.equal(await remove(type), null);
      assert.equal(backedUp.has(vmid), false, "a deleted guest is nobody's any longer");
    });
  }

  it("is not installed anew when the new one would lack what only root@pam can give it", async () => {
    const lost = "the guest has settings that would be lost:";
    await place("qemu", { config: { hostpci0: "0000:01:00.0", usb1: "host=1-1", hookscript: "local:snippets/up.pl" } });
    assert.equal(await reinstall("qemu"), `${lost} hostpci0, usb1, hookscript`);
    assert.equal(isRunning(), true);
    await place("lxc", {
      config: { features: "nesting=1,keyctl=1", dev0: "/dev/fuse" },
      rawLines: [["lxc.apparmor.profile", "unconfined"]],
    });
    assert.equal(await reinstall("lxc"), `${lost} dev0, features: keyctl, raw lxc keys`);
    assert.equal(isRunning(), true);
  });
});
