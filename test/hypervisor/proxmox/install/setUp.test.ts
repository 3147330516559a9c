// What is sent to a host to make a guest, to give it what it is to be like, and to give it another address.
import assert from "node:assert/strict";
import type { GuestAddress } from "../../../../src/hypervisor/guest.js";
import type { Hypervisor } from "../../../../src/hypervisor/hypervisor.js";
import type { AddressChange, GuestNetwork, Installation } from "../../../../src/hypervisor/install.js";
import { Cleanup, scripted } from "../../support/driver.js";

const UPID = "UPID:pve1:0003A1B2:01C2D3E4:6740A1B2:qmconfig:100:root@pam!panel:";
const VM: GuestAddress = { type: "qemu", node: "pve1", vmid: 100 };
const CT: GuestAddress = { type: "lxc", node: "pve1", vmid: 200 };
const ADDRESS = { cidr: "10.0.0.5/24", gateway: "10.0.0.1", family: 4 } as const;
const NETWORK = { bridge: "vmbr1", vlan: 20, address: ADDRESS, nameservers: ["9.9.9.9", "1.1.1.1"] };
const NEW = { name: "web1", cores: 2, memoryMb: 1024, network: NETWORK };

const installation = (guest: GuestAddress, change: Partial<Installation> = {}): Installation => ({
  guest,
  image: guest === VM ? { kind: "template", node: "pve1", vmid: 9000 } : { kind: "file", volid: "local:vztmpl/a.tar" },
  storage: "tank",
  pool: null,
  shape: NEW,
  diskGb: 8,
  containerRights: { unprivileged: true, nesting: false },
  access: { password: "secret", sshKeys: ["ssh-ed25519 AAAA one"] },
  note: "job 7",
  ...change,
});

/** The old guest's settings, as it was reinstalled. */
const KEPT = { hostname: "old", cores: "3", memory: "768", net0: "name=eth0,bridge=vmbr9,ip=dhcp", onboot: "1" };

describe("hypervisor/proxmox/install", () => {
  const cleanup = new Cleanup();
  afterEach(() => cleanup.run());

  /** What is sent beside questions, to a host with this configuration. */
  async function sent(config: object, order: (driver: Hypervisor) => Promise<unknown>) {
    const { host, driver } = await scripted(cleanup, ({ method }) => ({
      data: method === "GET" ? { digest: "6bce", ...config } : UPID,
    }));
    await order(driver);
    return host.arrivals
      .filter(({ method }) => method !== "GET")
      .map(({ path, form }): [string, typeof form] => [path, form]);
  }

  it("makes a machine as a full copy of its template", async () => {
    const form = { newid: "100", name: "web1", full: "1", storage: "tank", description: "job 7" };
    const orders = await sent({}, (driver) => driver.install(installation(VM)));
    assert.deepEqual(orders, [["/api2/json/nodes/pve1/qemu/9000/clone", form]]);
  });

  it("makes a container with its network and its owner's access, and one in another's place with what that had", async () => {
    const form = {
      vmid: "200",
      ostemplate: "local:vztmpl/a.tar",
      rootfs: "tank:8",
      password: "secret",
      "ssh-public-keys": "ssh-ed25519 AAAA one",
      unprivileged: "1",
      onboot: "1",
      start: "0",
      description: "job 7",
    };
    const fresh = {
      hostname: "web1",
      cores: "2",
      memory: "1024",
      net0: "name=eth0,bridge=vmbr1,firewall=1,tag=20,ip=10.0.0.5/24,gw=10.0.0.1",
      nameserver: "9.9.9.9 1.1.1.1",
    };
    const path = "/api2/json/nodes/pve1/lxc";
    assert.deepEqual(await sent({}, (driver) => driver.install(installation(CT))), [[path, { ...form, ...fresh }]]);
    const { onboot: _sentAnyhow, ...kept } = KEPT;
    const again = installation(CT, { shape: { settings: KEPT } });
    assert.deepEqual(await sent({}, (driver) => driver.install(again)), [[path, { ...form, ...kept }]]);
  });

  it("gives a machine its size, network and access, and a cloud-init drive that its template lacks", async () => {
    const template = {
      description: "job 7\n",
      tags: "tpl",
      balloon: 2048,
      net0: "virtio=BC:24:11:00:00:01,bridge=vmbr0",
    };
    const orders = await sent(template, (driver) => driver.setUp(VM, installation(VM)));
    const form = {
      cores: "2",
      sockets: "1",
      memory: "1024",
      onboot: "1",
      net0: "virtio=BC:24:11:00:00:01,bridge=vmbr1,tag=20",
      ipconfig0: "ip=10.0.0.5/24,gw=10.0.0.1",
      nameserver: "9.9.9.9 1.1.1.1",
      cipassword: "secret",
      sshkeys: "ssh-ed25519%20AAAA%20one",
      ide2: "tank:cloudinit",
      delete: "description,tags,balloon",
    };
    assert.deepEqual(orders, [["/api2/json/nodes/pve1/qemu/100/config", form]]);
  });

  const STATIC_6 = { cidr: "2001:db8::5/64", gateway: null, family: 6 } as const;
  const families: [template: string, address: GuestNetwork["address"], made: string][] = [
    ["ip=dhcp,ip6=auto", ADDRESS, "ip=10.0.0.5/24,gw=10.0.0.1,ip6=auto"],
    ["ip=10.0.0.9/24,gw=10.0.0.1,ip6=dhcp", null, "ip=dhcp,ip6=dhcp"],
    ["ip=dhcp,ip6=auto", STATIC_6, "ip6=2001:db8::5/64,ip=dhcp"],
    ["ip=10.0.0.9/24,gw=10.0.0.1,ip6=auto", STATIC_6, "ip6=2001:db8::5/64"],
    ["ip6=2001:db8::9/64,gw6=2001:db8::1", ADDRESS, "ip=10.0.0.5/24,gw=10.0.0.1"],
  ];
  for (const [ipconfig0, address, made] of families) {
    it(`gives a machine of a template with ${ipconfig0} the settings ${made}`, async () => {
      const how = installation(VM, { shape: { ...NEW, network: { ...NETWORK, address } } });
      const [order] = await sent({ ipconfig0 }, (driver) => driver.setUp(VM, how));
      assert.equal(order?.[1]["ipconfig0"], made);
    });
  }

  const files = { cicustom: "user=a:snippets/u,network=a:snippets/n,meta=a:snippets/m" };
  const anyAddress = { ...NEW, network: { ...NETWORK, address: null } };
  const noAccess = { password: null, sshKeys: [] };
  const used = Object.fromEntries(
    ["ide0", "ide1", "ide2", "ide3", "sata5", "scsi30"].map((slot) => [slot, "none,media=cdrom"]),
  );
  const hiding: [what: string, guest: GuestAddress, config: object, how: Partial<Installation>, found: object[]][] = [
    [
      "files in the place of access and address",
      VM,
      files,
      {},
      [
        { setting: "cicustom user=a:snippets/u", hides: ["access"], isTakenOff: true },
        { setting: "cicustom network=a:snippets/n", hides: ["network"], isTakenOff: true },
      ],
    ],
    [
      "the file for access alone, where the network gives the address",
      VM,
      files,
      { shape: anyAddress },
      [{ setting: "cicustom user=a:snippets/u", hides: ["access"], isTakenOff: true }],
    ],
    ["nothing that is not asked for", VM, files, { shape: anyAddress, access: noAccess }, []],
    [
      "the file for the address that a guest had before",
      VM,
      files,
      { shape: { settings: { ipconfig0: "ip=10.0.0.5/24" } }, access: noAccess },
      [{ setting: "cicustom network=a:snippets/n", hides: ["network"], isTakenOff: true }],
    ],
    [
      "that no slot is left for a cloud-init drive",
      VM,
      used,
      {},
      [{ setting: "no free slot for a cloud-init drive", hides: ["access", "network"], isTakenOff: false }],
    ],
    [
      "a system that the platform does not know",
      CT,
      { ostype: "unmanaged" },
      {},
      [{ setting: "ostype unmanaged", hides: ["access", "network"], isTakenOff: false }],
    ],
    ["nothing in a system that it knows", CT, { ostype: "debian" }, {}, []],
  ];
  for (const [what, guest, config, how, found] of hiding) {
    it(`finds ${what}`, async () => {
      const { driver } = await scripted(cleanup, () => ({ data: { digest: "6bce", ...config } }));
      assert.deepEqual(await driver.hindrances(guest, installation(guest, how)), found);
    });
  }

  it("takes files off that are in the way, and the setting with the last of them", async () => {
    const [order] = await sent(files, (driver) => driver.setUp(VM, installation(VM)));
    assert.equal(order?.[1]["cicustom"], "meta=a:snippets/m");
    const [other] = await sent({ cicustom: "user=a:snippets/u" }, (driver) => driver.setUp(VM, installation(VM)));
    assert.equal(other?.[1]["delete"], "cicustom");
  });

  it("takes only the note off a new container, which got the rest when it was made", async () => {
    const orders = await sent({ description: "job 7\n", tags: "kept" }, (driver) => driver.setUp(CT, installation(CT)));
    assert.deepEqual(orders, [["/api2/json/nodes/pve1/lxc/200/config", { delete: "description" }]]);
  });

  it("gives a reinstalled guest the settings of the old one, and nothing of what its image brought", async () => {
    const made = { ...KEPT, cores: 1, description: "job 7\n", rootfs: "tank:subvol-200-disk-0,size=8G" };
    const again = installation(CT, { shape: { settings: KEPT } });
    const orders = await sent(made, (driver) => driver.setUp(CT, again));
    assert.deepEqual(orders, [["/api2/json/nodes/pve1/lxc/200/config", { cores: "3", delete: "description" }]]);
  });

  const change: AddressChange = {
    current: "10.1.0.2",
    address: "10.0.0.5",
    prefixLength: 24,
    family: 4,
    gateway: null,
    vlan: null,
    nameservers: [],
  };

  it("changes an address on the card that has it, and keeps the rest of the entry", async () => {
    const config = {
      net0: "virtio=BC:24:11:00:00:01,bridge=vmbr0,tag=7",
      net1: "virtio=BC:24:11:00:00:02,bridge=vmbr0,tag=7",
      ipconfig0: "ip=dhcp",
      ipconfig1: "ip=10.1.0.2/16,gw=10.1.0.1,ip6=auto",
    };
    const orders = await sent(config, (driver) => driver.setAddress(VM, change));
    const form = {
      ipconfig1: "ip=10.0.0.5/24,ip6=auto",
      net1: "virtio=BC:24:11:00:00:02,bridge=vmbr0",
      digest: "6bce",
    };
    assert.deepEqual(orders, [["/api2/json/nodes/pve1/qemu/100/config", form]]);
  });

  it("changes an address of a container in the entry of its card, else that of the first", async () => {
    const config = { net0: "name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:00:03,ip=dhcp" };
    const six = {
      ...change,
      address: "2001:db8::5",
      prefixLength: 64,
      family: 6,
      gateway: "2001:db8::1",
      vlan: 9,
    } as const;
    const orders = await sent(config, (driver) => driver.setAddress(CT, { ...six, nameservers: ["9.9.9.9"] }));
    const net0 = `${config.net0},ip6=2001:db8::5/64,gw6=2001:db8::1,tag=9`;
    const form = { net0, nameserver: "9.9.9.9", digest: "6bce" };
    assert.deepEqual(orders, [["/api2/json/nodes/pve1/lxc/200/config", form]]);
  });

  it("marks a copy: with its tags, unprotected, not started with its node, if it was not changed since", async () => {
    const config = { protection: 1, tags: "web" };
    const orders = await sent(config, async (driver) =>
      driver.markCopy(VM, await driver.guestConfig(VM), ["web", "moved"]),
    );
    const form = { tags: "web;moved", onboot: "0", delete: "protection", digest: "6bce" };
    assert.deepEqual(orders, [["/api2/json/nodes/pve1/qemu/100/config", form]]);
  });

  it("creates a cloud-init drive again where the volume is still in its slot, and leaves another one", async () => {
    const config = { ide2: "tank:vm-100-disk-4,media=cdrom" };
    const again = (volume: string) => sent(config, (driver) => driver.recreateCloudInit(VM, { key: "ide2", volume }));
    const form = { ide2: "tank:cloudinit", digest: "6bce" };
    assert.deepEqual(await again("tank:vm-100-disk-4"), [["/api2/json/nodes/pve1/qemu/100/config", form]]);
    assert.deepEqual(await again("tank:vm-100-disk-5"), []);
  });

  it("grows the boot disk of a machine that is smaller, and no other", async () => {
    const config = {
      boot: "order=scsi1;scsi0",
      scsi0: "tank:vm-100-disk-0,size=1G",
      scsi1: "tank:vm-100-disk-1,size=2G",
    };
    const grow = (gib: number) => sent(config, (driver) => driver.growSystemDisk(VM, gib * 1024 ** 3));
    assert.deepEqual(await grow(4), [["/api2/json/nodes/pve1/qemu/100/resize", { disk: "scsi1", size: "4G" }]]);
    assert.deepEqual(await grow(2), []);
  });
});
