// Reading and changing guests: what is sent, and how the platform's answers are read.
import assert from "node:assert/strict";
import { PlatformReason } from "../../../src/hypervisor/platformError.js";
import { guestStatus, sizeText } from "../../../src/hypervisor/proxmox/guests.js";
import { Cleanup, scripted } from "../support/driver.js";
import { refusal } from "../support/rejection.js";

const VM = { type: "qemu", node: "pve1", vmid: 102 } as const;
const CT = { type: "lxc", node: "pve1", vmid: 200 } as const;
const UPID = "UPID:pve1:00002B24:000683C2:6B00EE7E:resize:102:root@pam!panel:";
const KEYS = "ssh-ed25519 AAAAC3/b+x== panel@example.test\nssh-ed25519 AAAAC4 ops two@example.test";
const ENCODED =
  "ssh-ed25519%20AAAAC3%2Fb%2Bx%3D%3D%20panel%40example.test%0Assh-ed25519%20AAAAC4%20ops%20two%40example.test";
const GIB = 1024 ** 3;

describe("hypervisor/proxmox/guests", () => {
  const cleanup = new Cleanup();
  afterEach(() => cleanup.run());

  it("reads a VM's configuration in force as text, with its digest apart and its keys decoded", async () => {
    const data = {
      name: "web2",
      cores: 2,
      onboot: 1,
      memory: "current=2048",
      sshkeys: ENCODED,
      digest: "6bce",
      parent: null,
    };
    const { host, driver } = await scripted(cleanup, () => ({ data }));
    const { settings, digest } = await driver.guestConfig(VM);
    assert.deepEqual(settings, { name: "web2", cores: "2", onboot: "1", memory: "current=2048", sshkeys: KEYS });
    assert.equal(digest, "6bce");
    assert.deepEqual(host.arrivals[0]?.query, { current: "1" });
  });

  it("reads pending values, and keys that are not encoded as they are", async () => {
    const { host, driver } = await scripted(cleanup, () => ({ data: { sshkeys: "100% odd", digest: "6bce" } }));
    assert.deepEqual((await driver.guestConfig(VM, "pending")).settings, { sshkeys: "100% odd" });
    assert.deepEqual(host.arrivals[0]?.query, {});
  });

  it("joins a container's raw lines", async () => {
    const lxc = [
      ["lxc.apparmor.profile", "unconfined"],
      ["lxc.cap.drop", ""],
    ];
    const { driver } = await scripted(cleanup, () => ({ data: { lxc, digest: "6bce", unprivileged: true } }));
    const { settings } = await driver.guestConfig(CT);
    assert.deepEqual(settings, { lxc: "lxc.apparmor.profile: unconfined\nlxc.cap.drop: ", unprivileged: "1" });
  });

  it("refuses a configuration that is none", async () => {
    const { driver } = await scripted(cleanup, () => ({ data: ["name"] }));
    await refusal(driver.guestConfig(VM), PlatformReason.UNINTELLIGIBLE, "/nodes/pve1/qemu/102/config");
  });

  it("reports that a guest is missing, which the platform calls an error of its own", async () => {
    const { driver } = await scripted(cleanup, () => ({
      status: 500,
      reason: "Configuration file 'nodes/pve1/lxc/200.conf' does not exist",
      body: { data: null },
    }));
    await refusal(driver.guestConfig(CT), PlatformReason.NOT_FOUND, "nodes/pve1/lxc/200.conf");
  });

  const states: [string, string | null, string | null, string][] = [
    ["running", "running", null, "running"],
    ["running", "paused", null, "paused"],
    ["running", "suspended", null, "suspended"],
    ["running", "prelaunch", null, "running"],
    ["running", "inmigrate", "migrate", "running"],
    ["running", null, null, "running"],
    ["stopped", "stopped", null, "stopped"],
    ["stopped", "stopped", "backup", "stopped"],
    ["stopped", "stopped", "suspended", "suspended"],
    ["paused", null, null, "paused"],
    ["unknown", null, null, "unknown"],
    ["", null, null, "unknown"],
  ];
  for (const [status, qmpstatus, lock, expected] of states) {
    it(`reads ${status || "nothing"}/${qmpstatus ?? "-"}/${lock ?? "-"} as ${expected}`, () => {
      assert.equal(guestStatus(status, { qmpstatus, lock }), expected);
    });
  }

  it("reads the state and the lock", async () => {
    const data = {
      status: "running",
      qmpstatus: "paused",
      lock: "backup",
      vmid: 102,
      "running-machine": "pc-q35-9.2+pve1",
    };
    const { driver } = await scripted(cleanup, () => ({ data }));
    assert.deepEqual(await driver.guestStatus(VM), {
      status: "paused",
      lock: "backup",
      handover: null,
      machine: "pc-q35-9.2+pve1",
    });
  });

  it("changes a VM in a task, with encoded keys, booleans as digits, and the digest", async () => {
    const { host, driver } = await scripted(cleanup, () => ({ data: UPID }));
    const set = { sshkeys: `${KEYS}\n`, cores: 2, onboot: true, protection: false, description: "a&b=c\nd" };
    assert.equal(await driver.configure(VM, { set, remove: ["vcpus", "balloon"], digest: "6bce" }), UPID);
    const [arrival] = host.arrivals;
    assert.deepEqual([arrival?.method, arrival?.path], ["POST", "/api2/json/nodes/pve1/qemu/102/config"]);
    assert.deepEqual(arrival?.form, {
      sshkeys: ENCODED,
      cores: "2",
      onboot: "1",
      protection: "0",
      description: "a&b=c\nd",
      delete: "vcpus,balloon",
      digest: "6bce",
    });
    assert.match(arrival?.body ?? "", /sshkeys=ssh-ed25519%2520AAAAC3%252Fb%252Bx/);
  });

  it("changes a container at once", async () => {
    const { host, driver } = await scripted(cleanup, () => ({ data: null }));
    assert.equal(await driver.configure(CT, { set: { hostname: "app1" } }), null);
    assert.deepEqual(host.arrivals[0]?.method, "PUT");
    assert.deepEqual(host.arrivals[0]?.form, { hostname: "app1" });
  });

  it("sends nothing for a change of nothing", async () => {
    const { host, driver } = await scripted(cleanup, () => ({ data: null }));
    assert.equal(await driver.configure(CT, { set: {}, remove: [], digest: "6bce" }), null);
    assert.equal(host.arrivals.length, 0);
  });

  const sizes: [number, string][] = [
    [20 * GIB, "20G"],
    [1.5 * GIB, "1536M"],
    [4 * 1024 ** 2, "4M"],
    [1025 * 1024, "1025K"],
    [GIB + 1, "1048577K"],
  ];
  for (const [bytes, expected] of sizes)
    it(`writes ${bytes} bytes as ${expected}`, () => assert.equal(sizeText(bytes), expected));

  it("resizes in a task (8.x) or at once (7.x)", async () => {
    const { host, driver } = await scripted(cleanup, (_, index) => ({ data: index === 0 ? UPID : null }));
    assert.equal(await driver.resize(VM, "scsi0", 20 * GIB), UPID);
    assert.equal(await driver.resize(VM, "scsi0", 20 * GIB), null);
    assert.deepEqual(host.arrivals[0]?.form, { disk: "scsi0", size: "20G" });
  });

  it("takes a container that has the size already for resized", async () => {
    const same = { status: 500, reason: "disk is already at specified size", body: { data: null } };
    const { driver } = await scripted(cleanup, () => same);
    assert.equal(await driver.resize(CT, "rootfs", GIB), null);
  });

  it("passes a refused resize on", async () => {
    const { driver } = await scripted(cleanup, () => ({ status: 500, reason: "unable to shrink disk size" }));
    await refusal(driver.resize(CT, "rootfs", GIB), PlatformReason.REFUSED, "unable to shrink disk size");
  });

  it("creates an unprivileged container with plain keys", async () => {
    const { host, driver } = await scripted(cleanup, () => ({ data: UPID }));
    await driver.createContainer({
      node: "pve1",
      vmid: 200,
      hostname: "app1",
      unprivileged: true,
      nesting: true,
      template: "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.gz",
      storage: "local-lvm",
      pool: null,
      diskGb: 8,
      cores: 1,
      memoryMb: 512,
      network: "name=eth0,bridge=vmbr0,ip=dhcp",
      nameservers: ["1.1.1.1", "9.9.9.9"],
      password: null,
      sshKeys: ["ssh-ed25519 AAAA one\n", "ssh-ed25519 BBBB two"],
      description: "made by job 7",
    });
    assert.deepEqual(host.arrivals[0]?.form, {
      vmid: "200",
      hostname: "app1",
      ostemplate: "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.gz",
      rootfs: "local-lvm:8",
      cores: "1",
      memory: "512",
      net0: "name=eth0,bridge=vmbr0,ip=dhcp",
      nameserver: "1.1.1.1 9.9.9.9",
      "ssh-public-keys": "ssh-ed25519 AAAA one\nssh-ed25519 BBBB two",
      unprivileged: "1",
      features: "nesting=1",
      onboot: "1",
      start: "0",
      description: "made by job 7",
    });
  });

  it("clones to another node of the cluster when it is asked to", async () => {
    const { host, driver } = await scripted(cleanup, () => ({ data: UPID }));
    const template = { type: "qemu", node: "pve1", vmid: 9000 } as const;
    await driver.clone({
      template,
      node: "pve2",
      vmid: 101,
      name: "web1",
      storage: "ceph",
      pool: null,
      description: "",
    });
    assert.equal(host.arrivals[0]?.path, "/api2/json/nodes/pve1/qemu/9000/clone");
    assert.equal(host.arrivals[0]?.form["target"], "pve2");
  });
});
