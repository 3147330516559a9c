// Which rights on the target a move uses, and why its token gets the right to change the target's system.
import assert from "node:assert/strict";
import {
  arrivalRights,
  connectionRights,
  modificationBy,
  type NamedArrival,
} from "../../../../src/hypervisor/proxmox/rights/targetRights.js";

const arrival: NamedArrival = {
  version: "9.2.11",
  node: "b1",
  vmid: 300,
  storages: ["tank"],
  bridges: [
    { name: "vmbr7", isVnet: false },
    { name: "blue", isVnet: true },
  ],
};

const shown = (rights: ReturnType<typeof arrivalRights>): string[] =>
  rights.map(({ path, privileges, orBelow }) => `${privileges.join("|")} ${path}${orBelow === true ? "/..." : ""}`);

const machine = {
  name: "web1",
  memory: "2048",
  cores: "2",
  net0: "virtio=BC:24:11:00:00:01,bridge=vmbr0,tag=12",
  net1: "virtio=BC:24:11:00:00:02,bridge=vmbr1",
  ipconfig0: "ip=10.0.0.2/24",
  scsi0: "local:300/vm-300-disk-0.qcow2,size=8G",
  ide2: "local:300/vm-300-cloudinit.qcow2,media=cdrom",
  sata1: "none,media=cdrom",
  serial0: "socket",
  freeze: "1",
};
const bridgeMap = new Map([
  ["vmbr0", "vmbr7"],
  ["vmbr1", "blue"],
]);

describe("hypervisor/proxmox/rights/targetRights", () => {
  it("are those to open the tunnel, to make the guest, and for what is in its configuration", () => {
    const rights = arrivalRights({ type: "qemu", config: machine, bridgeMap, modifies: false }, arrival);
    assert.deepEqual(shown(rights), [
      "Sys.Audit /",
      "Sys.Incoming /",
      "VM.Allocate /vms/300",
      "VM.Config.CDROM /vms/300",
      "VM.Config.CPU /vms/300",
      "VM.Config.Cloudinit|VM.Config.CDROM /vms/300",
      "VM.Config.Cloudinit|VM.Config.Network /vms/300",
      "VM.Config.Disk /vms/300",
      "VM.Config.HWType /vms/300",
      "VM.Config.Memory /vms/300",
      "VM.Config.Network /vms/300",
      "VM.Config.Options /vms/300",
      "VM.PowerMgmt /vms/300",
      "Datastore.AllocateSpace /storage/tank",
      "SDN.Use /sdn/zones/localnetwork/vmbr7/12",
      "SDN.Use /sdn/zones/...",
    ]);
  });

  it("are fewer for a container, and include no networks before 8.0", () => {
    const config = { hostname: "db1", memory: "512", unprivileged: "1", rootfs: "local:300/vm-300-disk-0.raw,size=8G" };
    const rights = arrivalRights(
      { type: "lxc", config: { ...config, net0: "name=eth0,bridge=vmbr0" }, bridgeMap, modifies: true },
      { ...arrival, version: "7.4-16" },
    );
    assert.deepEqual(shown(rights), [
      "Sys.Audit /",
      "Sys.Incoming /",
      "Sys.Modify /",
      "VM.Allocate /vms/300",
      "VM.Config.Disk /vms/300",
      "VM.Config.Memory /vms/300",
      "VM.Config.Network /vms/300",
      "Datastore.AllocateSpace /storage/tank",
    ]);
  });

  it("are those of the connection to make a token and to follow it, which a user's own ticket does not need", () => {
    assert.deepEqual(shown(connectionRights(arrival, true)), [
      "User.Modify /access/groups/...",
      "Sys.Audit /nodes/b1",
      "VM.Audit /vms/300",
    ]);
    assert.deepEqual(shown(connectionRights(arrival, false)), ["VM.Audit /vms/300"]);
  });

  const free = { registered: [], isFree: true };
  const cases: [what: string, reason: string | null, ...Parameters<typeof modificationBy>][] = [
    ["a machine", null, { type: "qemu", config: {} }, "9.2", free],
    [
      "a start order",
      "has a place in the order of startup",
      { type: "qemu", config: { startup: "order=1" } },
      "7.3",
      free,
    ],
    ["an unprivileged container", null, { type: "lxc", config: { unprivileged: "1" } }, "9.2", free],
    ["a privileged container, to 8.4", null, { type: "lxc", config: {} }, "8.4", free],
    ["a privileged container, to 9.0", "is a privileged container", { type: "lxc", config: {} }, "9.0", free],
    ["free tags", null, { type: "qemu", config: { tags: "gold" } }, "9.2", { ...free, registered: ["silver"] }],
    [
      "a registered tag",
      "has the tag Gold, which is registered there",
      { type: "qemu", config: { tags: "web;Gold" } },
      "9.2",
      { ...free, registered: ["gold"] },
    ],
    [
      "tags where they are not free",
      "has tags, which are not free there",
      { type: "qemu", config: { tags: "web" } },
      "9.2",
      { registered: [], isFree: false },
    ],
    [
      "tags, to a target that tells nothing of them",
      "has tags, of which some may be registered there",
      { type: "qemu", config: { tags: "web" } },
      "9.2",
      null,
    ],
  ];
  for (const [what, reason, ...given] of cases) {
    it(`change the target's system, or not, for ${what}`, () =>
      assert.equal(modificationBy(...given)?.reason ?? null, reason));
  }
});
