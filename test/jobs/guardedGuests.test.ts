// Guests that the host itself looks after: by high availability, replication, a firewall, backup jobs and pools.
import assert from "node:assert/strict";
import { deleteGuest } from "../../src/actions/guest/deleteGuest.js";
import { reinstallGuest } from "../../src/actions/guest/reinstallGuest.js";
import type { GuestType } from "../../src/core/enums.js";
import { runJob } from "../../jobs/engine/executor.js";
import { placeGuest } from "../../simulator/scenarios/placeGuest.js";
import { contextFor } from "../support/viewers.js";
import { CONTAINER_TEMPLATE, jobRow, openStage, sync, TEMPLATE_VMID, type Stage } from "./creation.js";
import { executorFor, tasksOf } from "./killing.js";
import { PLACE } from "./place.js";

const FIREWALL = `[OPTIONS]

enable: 1
policy_in: DROP

[ALIASES]

office 198.51.100.0/24 # Ann's
printer 198.51.100.9

[IPSET guests] # those who visit

office
!198.51.100.7 # but for this one

[RULES]

GROUP web -i net0
IN SSH(ACCEPT) -i net0 -source +guests -log nolog # from the office
|IN DROP -source printer
OUT REJECT -dest +dc/admins -p tcp -dport 25,465
`;

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
        "by firewall rules that the platform would not take again",
        { firewall: "[RULES]\n\nIN ACCEPT -source office\nOUT DROP -dest +dc/gone\n" },
        "the guest has firewall rules that could not be written again: no such alias 'office', no such ipset 'gone'",
      ],
    ];
    for (const [what, changes, error] of obstacles) {
      it(`is not reinstalled while it is kept ${what}: ${type}`, async () => {
        await place(type, changes);
        assert.equal(await reinstall(type), `${PLACE}: ${error}`);
        assert.equal(isRunning(), true);
      });
    }

    it(`keeps its firewall when it is reinstalled, and gets nothing of the template's: ${type}`, async () => {
      const { guests } = stage.host.platform.state;
      const template = guests.get(TEMPLATE_VMID);
      assert.ok(template);
      template.firewall = "[ALIASES]\n\nhome 198.51.100.1\n\n[IPSET home]\n\nhome\n\n[RULES]\n\nIN ACCEPT\n";
      stage.host.platform.state.firewall = "[IPSET admins]\n\n192.0.2.0/24\n\n[group web]\n\nIN HTTP(ACCEPT)\n";
      await place(type, { firewall: FIREWALL });
      assert.equal(await reinstall(type), null);
      assert.equal(guests.get(vmid)?.firewall, FIREWALL);
      await place(type, {});
      assert.equal(await reinstall(type), null);
      assert.equal(guests.get(vmid)?.firewall, null);
      template.firewall = null;
    });

    it(`is left stopped when its firewall cannot be written: ${type}`, async () => {
      await place(type, { firewall: FIREWALL });
      const fault = { method: "POST", path: `/${vmid}/firewall/rules$`, effect: "status", status: 404 };
      const body = JSON.stringify({ ...fault, times: 1, message: "the file is gone" });
      const { ok } = await fetch(`${stage.host.control}/faults`, { method: "POST", body });
      assert.equal(ok, true);
      const error = String(await reinstall(type));
      assert.match(error, new RegExp(`^${PLACE}: the file is gone; left behind: .* reinstalled but not set up`));
      assert.equal(isRunning(), false);
    });

    it(`keeps what others may do with it when it is reinstalled: ${type}`, async () => {
      const { access } = stage.host.platform.state;
      access.groups.set("support", new Set());
      await place(type, {});
      const path = `/vms/${vmid}`;
      const rules = [
        { path, type: "group", ugid: "support", roleid: "PVEAuditor", propagate: true },
        { path, type: "user", ugid: "root@pam", roleid: "PVEVMUser", propagate: false },
      ] as const;
      access.rules.push(...rules);
      assert.equal(await reinstall(type), null);
      assert.deepEqual(
        access.rules.filter((rule) => rule.path === path),
        rules,
      );
    });

    it(`is not reinstalled when the connection could not restore what others may do with it: ${type}`, async () => {
      const { access } = stage.host.platform.state;
      const token = access.users.get("root@pam")?.tokens.get("panel");
      assert.ok(token);
      await place(type, {});
      const path = `/vms/${vmid}`;
      const former = [...access.rules];
      const rule = { path, type: "user", ugid: "root@pam", roleid: "Administrator", propagate: true } as const;
      access.rules.push(rule, {
        path: "/",
        type: "token",
        ugid: "root@pam!panel",
        roleid: "PVEAdmin",
        propagate: true,
      });
      token.privilegeSeparated = true;
      const error = String(await reinstall(type));
      token.privilegeSeparated = false;
      assert.ok(
        error.startsWith(
          `${PLACE}: the guest has an access rule that could not be written again: Administrator of root@pam on ${path} (`,
        ),
        error,
      );
      assert.equal(isRunning(), true);
      assert.equal(access.rules.includes(rule), true);
      access.rules = former;
    });

    it(`stays in its pool and in the backup jobs when it is reinstalled: ${type}`, async () => {
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

  for (const [what, config, rights] of [
    ["a privileged one", { unprivileged: undefined }, { unprivileged: undefined, features: undefined }],
    ["one that nests", { features: "nesting=1" }, { unprivileged: "1", features: "nesting=1" }],
    ["one that does not", { features: "nesting=0" }, { unprivileged: "1", features: undefined }],
  ] as const) {
    it(`has the rights on its node that it had when it is reinstalled: ${what}`, async () => {
      await place("lxc", {});
      const guest = stage.host.platform.state.guests.get(vmid);
      assert.ok(guest);
      const { unprivileged: _, features: _features, ...others } = guest.config;
      guest.config = {
        ...others,
        ...("unprivileged" in config ? {} : { unprivileged: "1" }),
        ...("features" in config ? config : {}),
      };
      assert.equal(await reinstall("lxc"), null);
      const { unprivileged, features } = stage.host.platform.state.guests.get(vmid)?.config ?? {};
      assert.deepEqual({ unprivileged, features }, rights);
    });
  }

  it("is not reinstalled when the connection could not give the new one what it had", async () => {
    const token = stage.host.platform.state.access.users.get("root@pam")?.tokens.get("panel");
    assert.ok(token);
    const { access, guests } = stage.host.platform.state;
    const former = [...access.rules];
    const panel = { type: "token", ugid: "root@pam!panel", propagate: true } as const;
    access.rules.push({ ...panel, path: "/", roleid: "PVEAdmin" });
    await place("lxc", {});
    for (const key of ["unprivileged", "features"]) delete guests.get(vmid)?.config[key];
    token.privilegeSeparated = true;
    const only = "which only a connection with Sys.Modify on / may give to a new one";
    assert.equal(await reinstall("lxc"), `${PLACE}: the guest is a privileged container, ${only}`);
    assert.equal(isRunning(), true);
    token.privilegeSeparated = false;
    await place("qemu", { config: { startup: "order=1" } });
    token.privilegeSeparated = true;
    assert.equal(await reinstall("qemu"), `${PLACE}: the guest has a place in the order of startup, ${only}`);
    assert.equal(isRunning(), true);
    token.privilegeSeparated = false;
    access.rules = former;
  });

  it("is not reinstalled when the new one would lack what only root@pam can give it", async () => {
    const lost = `${PLACE}: the guest has settings that would be lost:`;
    await place("qemu", { config: { hostpci0: "0000:01:00.0", usb1: "host=1-1", hookscript: "local:snippets/up.pl" } });
    assert.equal(await reinstall("qemu"), `${lost} hostpci0, usb1, hookscript`);
    assert.equal(isRunning(), true);
    await place("lxc", {
      config: { features: "nesting=1,keyctl=1", dev0: "/dev/fuse" },
      rawLines: [["lxc.apparmor.profile", "unconfined"]],
    });
    assert.equal(await reinstall("lxc"), `${lost} dev0, features: keyctl, raw lxc keys`);
    assert.equal(isRunning(), true);
    await place("lxc", { config: { unprivileged: 0, features: "nesting=1" } });
    assert.equal(await reinstall("lxc"), `${lost} features: nesting`);
  });
});
