// The whole life of guests on simulated hosts of every supported generation, through the port alone.
import assert from "node:assert/strict";
import { GIB } from "../../src/core/units.js";
import type { GuestAddress } from "../../src/hypervisor/guest.js";
import { createHypervisors } from "../../src/hypervisor/hypervisors.js";
import { proxmoxDriver } from "../../src/hypervisor/proxmox/driver.js";
import { PlatformReason } from "../../src/hypervisor/platformError.js";
import { newUser } from "../../simulator/state/access.js";
import { releases } from "../../simulator/version.js";
import { control } from "../inventory/support/control.js";
import { Cleanup } from "./support/driver.js";
import { refusal } from "./support/rejection.js";
import { byPassword, driverOf, done, makeTemplate, PASSWORD, simulated } from "./support/simulatedHost.js";
import { until } from "../support/until.js";

const TEMPLATE: GuestAddress = { type: "qemu", node: "pvea", vmid: 9000 };
const VM: GuestAddress = { type: "qemu", node: "pvea", vmid: 102 };
const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHG170qy/p5c3GMTIUS1ovtzlwm5ar/3B2ax++X/7P8O panel@example.test";
const CLONE = {
  template: TEMPLATE,
  node: "pvea",
  vmid: VM.vmid,
  name: "web1",
  storage: "local",
  pool: null,
  description: "job 7",
};

/** Machine type with which each release runs a VM that states none. */
const RUNNING_MACHINES: Readonly<Record<(typeof releases)[number], string>> = {
  "7.4": "pc-i440fx-7.2+pve0",
  "8.4": "pc-i440fx-9.2+pve1",
  "9.2": "pc-i440fx-11.0+pve2",
};

for (const release of releases) {
  describe(`hypervisor on a simulated ${release} host`, () => {
    const cleanup = new Cleanup();
    afterEach(() => cleanup.run());

    it("reports what it is and has", async () => {
      const { driver } = await simulated(cleanup, { release });
      const { major, minor } = await driver.version();
      assert.equal(`${major}.${minor}`, release);
      assert.deepEqual(await driver.nodeVersion("pvea"), await driver.version());
      const { kind, nodes } = await driver.cluster();
      assert.deepEqual([kind, nodes], ["standalone", [{ name: "pvea", online: true, local: true }]]);
      const resources = await driver.resources();
      assert.deepEqual([resources.nodes.length, resources.guests.length, resources.storages.length], [1, 0, 1]);
      assert.equal(resources.nodes[0]?.status, "online");
      assert.ok((resources.storages[0]?.room?.totalBytes ?? 0) > GIB);
      assert.deepEqual(await driver.sight(), { missingForHost: null, missingForGuests: null });
      assert.deepEqual(
        (await driver.networks("pvea")).map(({ name }) => name),
        ["vmbr0"],
      );
      assert.deepEqual(
        (await driver.volumes("pvea", "local", "vztmpl")).map(({ volid }) => volid),
        ["local:vztmpl/debian-12-standard_12.7-1_amd64.tar.gz"],
      );
      assert.ok((await driver.nodeHistory("pvea")).length > 30);
    });

    it("lives through a VM: clone, configure, resize, power, destroy", async () => {
      const { driver, connection } = await simulated(cleanup, { release });
      await makeTemplate(connection, TEMPLATE);
      assert.equal(await driver.vmidIsFree(VM.vmid), true);
      const clone = await done(driver, driver.clone(CLONE));
      assert.deepEqual([clone?.type, clone?.targetId, clone?.user], ["qmclone", "9000", "root@pam!panel"]);
      assert.ok(clone !== null);
      assert.ok((await driver.task(clone.upid)).endedAt instanceof Date);
      assert.equal((await driver.taskLog(clone.upid)).at(-1), "TASK OK");
      assert.equal(await driver.vmidIsFree(VM.vmid), false);
      await refusal(driver.clone(CLONE), PlatformReason.EXISTS, "already exists");

      const { digest } = await driver.guestConfig(VM);
      const set = {
        cores: 2,
        memory: 1024,
        onboot: true,
        sshkeys: KEY,
        ipconfig0: "ip=dhcp",
        cipassword: "Init-Pass1",
      };
      await done(driver, driver.configure(VM, { set, remove: ["description"], digest }));
      const { settings } = await driver.guestConfig(VM);
      assert.deepEqual(
        [settings["cores"], settings["memory"], settings["onboot"], settings["sshkeys"], settings["description"]],
        ["2", "1024", "1", KEY, undefined],
      );
      await refusal(
        driver.configure(VM, { set: { cores: 1 }, digest: "0".repeat(40) }),
        PlatformReason.CHANGED,
        "checksum",
      );

      const resized = await driver.resize(VM, "scsi0", 4 * GIB);
      assert.equal(resized === null, release === "7.4");
      if (resized !== null) assert.equal((await driver.waitForTask(resized)).succeeded, true);
      await done(driver, driver.resize(VM, "scsi0", 4 * GIB));
      assert.match((await driver.guestConfig(VM)).settings["scsi0"] ?? "", /size=4G/);

      await done(driver, driver.power(VM, "start"));
      const machine = RUNNING_MACHINES[release];
      assert.deepEqual(await driver.guestStatus(VM), { status: "running", lock: null, handover: null, machine });
      await refusal(driver.destroy(VM), PlatformReason.REFUSED, "running");
      await done(driver, driver.power(VM, "suspend"));
      assert.equal((await driver.guestStatus(VM)).status, "paused");
      await done(driver, driver.power(VM, "resume"));
      await done(driver, driver.power(VM, "stop"));
      assert.equal((await driver.guestStatus(VM)).status, "stopped");

      await done(driver, driver.destroy(VM));
      await refusal(driver.guestConfig(VM), PlatformReason.NOT_FOUND);
      await refusal(driver.destroy(VM), PlatformReason.NOT_FOUND);
      assert.equal(await driver.vmidIsFree(VM.vmid), true);
      assert.ok((await driver.recentTasks()).some(({ type, running }) => type === "qmdestroy" && !running));
    });

    it("does the same by password", async () => {
      const { connection } = await simulated(cleanup, { release });
      await makeTemplate(byPassword(connection), TEMPLATE);
      const driver = driverOf(cleanup, byPassword(connection));
      assert.equal((await done(driver, driver.clone(CLONE)))?.user, "root@pam");
      await done(driver, driver.destroy(VM));
    });
  });
}

describe("hypervisor on a simulated host with a wrong secret", () => {
  const cleanup = new Cleanup();
  afterEach(() => cleanup.run());

  it("is refused in the platform's words, which are more detailed on old versions", async () => {
    const words = { "7.4": "invalid token value!", "9.2": "Authentication failed!" } as const;
    const credential = { kind: "token", tokenId: "panel", secret: "00000000-0000-4000-8000-000000000000" } as const;
    const attempt = async (release: keyof typeof words) => {
      const { connection } = await simulated(cleanup, { release });
      const driver = createHypervisors(
        () => Promise.resolve(null),
        proxmoxDriver({ isOpenAddress: () => true }),
      ).connect({
        ...connection,
        credential,
      });
      cleanup.add(() => driver.close());
      await refusal(driver.version(), PlatformReason.AUTHENTICATION, words[release]);
    };
    await Promise.all([attempt("7.4"), attempt("9.2")]);
  });
});

describe("hypervisor on a simulated host as a user of any realm", () => {
  const cleanup = new Cleanup();
  afterEach(() => cleanup.run());

  const expiresAt = new Date("2100-01-01T00:00:00Z");
  for (const user of ["jane@example.com@corp", "ldap.user_1@my-realm", "ü%41@pve", "a,b;c@pve", "a!b@pve"]) {
    it(`lets ${user} in, by token and by password, and to where a guest moves`, async () => {
      const [source, target] = [
        await simulated(cleanup, { release: "9.2" }),
        await simulated(cleanup, { release: "9.2", nodes: ["pveb"] }),
      ];
      target.host.platform.state.access.users.set(user, newUser(user, PASSWORD));
      const rule = { path: "/", roleid: "Administrator", propagate: true };
      target.host.platform.state.access.rules.push({ ...rule, type: "user", ugid: user });
      const token = { user, name: "panel" };
      const secret = await target.driver.createToken({ ...token, separated: false, expiresAt, comment: "a test" });
      const credential = { kind: "token", tokenId: token.name, secret } as const;
      const byToken = driverOf(cleanup, { ...target.connection, user, credential });
      assert.deepEqual(await byToken.tokens(user), [token.name]);
      const byName = driverOf(cleanup, { ...byPassword(target.connection), user });
      assert.deepEqual(await byName.tokens(user), [token.name]);

      await makeTemplate(source.connection, TEMPLATE);
      await done(source.driver, source.driver.clone(CLONE));
      const endpoint = { ...(await target.driver.endpoint("pveb")), port: target.host.port };
      const migration = {
        guest: VM,
        mode: "offline",
        endpoint,
        token,
        secret,
        targetVmid: 300,
        bandwidthMib: null,
        storages: [{ source: "local", target: "local" }],
        bridges: [{ source: "vmbr0", target: "vmbr0" }],
      } as const;
      await done(source.driver, source.driver.migrateRemotely(migration));
      const [received] = (await byToken.recentTasks()).filter(({ type }) => type === "qmigrate" || type === "qmtunnel");
      assert.equal(received?.user, `${user}!panel`);
    });
  }
});

describe("hypervisor on a simulated cluster", () => {
  const cleanup = new Cleanup();
  afterEach(() => cleanup.run());

  it("sees every node, follows tasks on another one, and reports when that one is away", async () => {
    const { driver, host, connection } = await simulated(cleanup, { release: "9.2", nodes: ["pve1", "pve2", "pve3"] });
    const { kind, nodes, quorate } = await driver.cluster();
    assert.deepEqual([kind, quorate, nodes.length], ["cluster", true, 3]);
    assert.deepEqual((await driver.resources()).nodes.map(({ name }) => name).toSorted(), ["pve1", "pve2", "pve3"]);
    const template = { ...TEMPLATE, node: "pve2" };
    await makeTemplate(connection, template);
    const cloned = await done(driver, driver.clone({ ...CLONE, template, node: "pve2" }));
    assert.equal(cloned?.node, "pve2");
    const node = host.platform.state.nodes.get("pve2");
    assert.ok(node !== undefined);
    node.online = false;
    await refusal(
      driver.power({ ...VM, node: "pve2" }, "start"),
      PlatformReason.UNREACHABLE,
      "node pve2 of host pvea cannot be reached: no route to host",
    );
    const looks = async (): Promise<number> =>
      JSON.stringify(await control(host.control).get("/requests")).split("/nodes/pve2/tasks/").length - 1;
    const before = await looks();
    const waiting = driver.waitForTask(cloned.upid);
    await until("the node was asked for its task", async () => (await looks()) > before);
    node.online = true;
    assert.equal((await waiting).succeeded, true);
  });
});
