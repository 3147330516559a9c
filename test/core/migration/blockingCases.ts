// Moves that one thing speaks against, each with the code and the words of the check that finds it.
import { FITS } from "../../../src/core/migration/hardware.js";
import type { MoveFacts } from "../../../src/core/migration/moveFacts.js";
import { GIB } from "../../../src/core/units.js";
import { agent, NOW } from "../placement/example.js";
import { card, guest, mapped, open, REFUSAL, refusedSince, rights, source, target } from "./plainMove.js";

export const blockingCases: readonly [change: Partial<MoveFacts>, code: string, message: string][] = [
  [target({ hostId: 1 }), "SAME_HOST", "source and target belong to the same host, which moves its guests itself"],
  [source({ version: "7.2-11" }), "VERSION_TOO_OLD", "a1 runs 7.2-11; at least 7.3 is needed"],
  [target({ version: null }), "VERSION_TOO_OLD", "b1 runs an unknown version; at least 7.3 is needed"],
  [
    { ...source({ version: "9.3.1", qemuServer: "9.3.0" }), ...target({ version: "9.2.11", qemuServer: "9.2.6" }) },
    "TARGET_TUNNEL_OLDER",
    "a1 runs qemu-server 9.3.0 (Proxmox VE 9.3.1), b1 qemu-server 9.2.6 (Proxmox VE 9.2.11): the newer version sends the " +
      "older one no guest, running or stopped; upgrade b1 first",
  ],
  [
    {
      ...source({ version: "9.3.1", pveContainer: "6.2.0" }),
      ...target({ version: "8.4.5", pveContainer: null }),
      type: "lxc",
      mode: "offline",
    },
    "TARGET_TUNNEL_OLDER",
    "a1 runs pve-container 6.2.0 (Proxmox VE 9.3.1), b1 Proxmox VE 8.4.5: the newer version sends the older one no guest, " +
      "running or stopped; upgrade b1 first",
  ],
  [
    target({ architecture: "arm64" }),
    "ARCHITECTURE_DIFFERS",
    "the processors of a1 are amd64, those of b1 are arm64: the guest would not run there",
  ],
  [target({ online: false }), "TARGET_OFFLINE", "b1 is offline"],
  [target({ quorate: false }), "NO_QUORUM", "the cluster of b1 has no quorum: nothing of it can be changed"],
  [source({ quorate: false }), "NO_QUORUM", "the cluster of a1 has no quorum: nothing of it can be changed"],
  [
    target({ address: "2001:db8::1" }),
    "TARGET_ADDRESS_UNSUPPORTED",
    "b1 is known as 2001:db8::1: moves need a host name or an IPv4 address, an IPv6 address does not do",
  ],
  [
    rights({
      missing: "User.Modify on /access/groups, VM.Config.Cloudinit or VM.Config.Network on /vms/100",
    }),
    "TARGET_PRIVILEGES_MISSING",
    "the connection of host rack2 lacks User.Modify on /access/groups, VM.Config.Cloudinit or VM.Config.Network on /vms/100: " +
      "the target would refuse the move",
  ],
  [
    rights({ missingToLimit: "Permissions.Modify on /" }),
    "TARGET_TOKEN_NOT_LIMITED",
    "the connection of host rack2 lacks Permissions.Modify on /: the source would get a token with all rights of the " +
      "connection's user, which the host does not allow",
  ],
  [rights({ tokenRefusal: REFUSAL }), "TARGET_TOKEN_REFUSED", refusedSince("less than a minute")],
  [
    guest({ customCpu: "custom-avx" }),
    "HAS_CUSTOM_CPU",
    "the CPU model custom-avx is defined by the source host: the target would refuse it",
  ],
  [
    { cards: [{ ...card, mtu: 9000, sourceMtu: 9000, targetMtu: 8999 }] },
    "MTU_TOO_LARGE",
    "the machine would not start on the target: net0 states 9000, vmbr1 carries 8999",
  ],
  [target({ maintenance: true }), "TARGET_IN_MAINTENANCE", "b1 is in maintenance"],
  [source({ agent: null }), "SOURCE_AGENT_MISSING", "no agent of a1 has reported yet"],
  [
    source({ agent: agent({ lastSeenAt: NOW - 180_001 }) }),
    "SOURCE_AGENT_STALE",
    "the agent of a1 was last seen 181 s ago",
  ],
  [
    source({ agent: agent({ current: false }) }),
    "SOURCE_AGENT_STALE",
    "the agent of a1 is older than the required version",
  ],
  [target({ agent: null }), "TARGET_AGENT_MISSING", "2 port-forwards move, and b1 has no current agent"],
  [
    target({ agent: agent({ lastSeenAt: NOW - 180_001 }) }),
    "TARGET_AGENT_MISSING",
    "2 port-forwards move, and b1 has no current agent",
  ],
  [
    target({ agent: agent({ current: false }) }),
    "TARGET_AGENT_MISSING",
    "2 port-forwards move, and b1 has no current agent",
  ],
  [target({ natConfigured: false }), "NAT_NOT_CONFIGURED", "2 port-forwards move, and NAT is not configured on b1"],
  [
    { reachability: { reachable: false, error: "connection refused" } },
    "TARGET_UNREACHABLE",
    "a1 does not reach b1: connection refused",
  ],
  [{ status: "unknown" }, "STATUS_UNKNOWN", "whether the guest runs is not known"],
  [guest({ template: true }), "IS_TEMPLATE", "the guest is a template"],
  [guest({ safetyCopy: true }), "IS_SAFETY_COPY", "the guest is the safety copy of one that has moved"],
  [guest({ snapshots: ["pre", "post"] }), "HAS_SNAPSHOTS", "the guest has snapshots: pre, post"],
  [guest({ pciDevices: ["hostpci0"] }), "HAS_PCI_PASSTHROUGH", "PCI devices of the node are passed through: hostpci0"],
  [guest({ usbDevices: ["usb0"] }), "HAS_USB_PASSTHROUGH", "USB devices of the node are passed through: usb0"],
  [guest({ mountedMedia: ["x.iso"] }), "HAS_MOUNTED_ISO", "a CD drive is not empty: x.iso"],
  [guest({ containerDevices: ["dev0"] }), "HAS_CONTAINER_DEVICES", "the container has devices of the node: dev0"],
  [guest({ rawLxcKeys: ["k"] }), "HAS_RAW_LXC_KEYS", "raw configuration keys would be lost on the target: k"],
  [guest({ hostPaths: ["/mnt"] }), "HAS_BIND_MOUNTS", "paths of the node are mounted: /mnt"],
  [
    guest({ rootOnlySettings: ["args"] }),
    "HAS_ROOT_ONLY_SETTINGS",
    "only root@pam may apply these settings on the target: args",
  ],
  [
    guest({ panelAddresses: 2 }),
    "MULTIPLE_PANEL_ADDRESSES",
    "the guest has 2 addresses of IP zones, at most 1 can move",
  ],
  [
    guest({ unsizedDisks: ["scsi0", "unused0"] }),
    "DISK_SIZE_UNKNOWN",
    "neither the configuration nor the storage states the size of disks, so that no target can be shown to have room for them: " +
      "scsi0, unused0",
  ],
  [guest({ busyWith: "job 7" }), "GUEST_BUSY", "the guest is busy: job 7"],
  [guest({ lock: "backup" }), "GUEST_LOCKED", "the guest is locked: backup"],
  [guest({ haManaged: true }), "HA_MANAGED", "the guest is managed by high availability"],
  [guest({ replicated: true }), "HAS_REPLICATION", "the guest has a replication job"],
  [
    guest({ pendingDisks: ["scsi1"] }),
    "HAS_PENDING_DISKS",
    "disks that wait for a restart would belong to no guest on the target: scsi1",
  ],
  [guest({ linkedClones: ["v"] }), "IS_LINKED_CLONE", "disks are linked clones: v"],
  [{ targetVmidTaken: true }, "TARGET_VMID_TAKEN", "VMID 100 is taken on the target"],
  [{ storages: [mapped, open] }, "STORAGE_UNMAPPED", "nothing of the target is chosen for tank"],
  [
    { stateStorage: "states" },
    "STATE_STORAGE_UNMAPPED",
    "the states of the machine go to states, and none of its disks goes to that storage on the target, which would refuse the " +
      "machine once its disks are copied",
  ],
  [
    {
      mode: "offline",
      storagePairs: [{ source: "tank", sourceType: "zfspool", target: "thin", targetType: "lvmthin", copies: true }],
    },
    "STORAGE_FORMAT_MISMATCH",
    "tank (zfspool) to thin (lvmthin): ZFS exchanges disks with ZFS only, unless the machine moves live",
  ],
  [
    { storagePairs: [{ source: "thin", sourceType: "lvmthin", target: "tank", targetType: "zfspool", copies: true }] },
    "STORAGE_FORMAT_MISMATCH",
    "thin (lvmthin) to tank (zfspool): ZFS exchanges cloud-init drives, TPM states and unused disks with ZFS only",
  ],
  [
    {
      type: "lxc",
      storagePairs: [{ source: "ceph", sourceType: "cephfs", target: "local", targetType: "dir", copies: true }],
    },
    "STORAGE_TYPE_UNSUPPORTED",
    "containers cannot be moved from ceph (cephfs)",
  ],
  [{ bridges: [open] }, "BRIDGE_UNMAPPED", "nothing of the target is chosen for tank"],
  [{ memoryMb: 4_097 }, "NOT_ENOUGH_MEMORY", "the guest needs 4097 MiB of RAM, b1 has 4096 MiB free"],
  [
    { memoryMb: 8_193, mode: "offline" },
    "NOT_ENOUGH_MEMORY",
    "the guest needs 8193 MiB of RAM, b1 has 8192 MiB in all",
  ],
  [
    { shortfalls: [{ storage: "tank", neededBytes: 32 * GIB, freeBytes: 20 * GIB }] },
    "NOT_ENOUGH_STORAGE",
    "tank has 20 GiB free of 32 GiB needed",
  ],
  [
    { shortfalls: [{ storage: "tank", neededBytes: 32 * GIB, freeBytes: null }] },
    "NOT_ENOUGH_STORAGE",
    "how much room tank has is not known, 32 GiB are needed",
  ],
  [
    target({ freeMemoryMb: null }),
    "NOT_ENOUGH_MEMORY",
    "how much RAM b1 has free is not known: its host does not tell",
  ],
  [
    { ...target({ freeMemoryMb: null, memoryMb: 0 }), mode: "offline" },
    "NOT_ENOUGH_MEMORY",
    "how much RAM b1 has free is not known: its host does not tell",
  ],
  [
    { hardware: { ...FITS, newerMachine: "pc-q35-10.0" } },
    "MACHINE_TYPE_TOO_NEW",
    "the machine type pc-q35-10.0 is newer than those that b1 knows",
  ],
  [
    { hardware: { ...FITS, processors: 17, targetCores: 16 } },
    "NOT_ENOUGH_CORES",
    "the machine has 17 processors, b1 has 16: it would not start there",
  ],
  [
    { hardware: { ...FITS, missingFlags: { model: "x86-64-v3", flags: ["avx2", "fma"] } } },
    "CPU_MODEL_UNSUPPORTED",
    "the CPU model x86-64-v3 needs what the processor of b1 lacks: avx2, fma",
  ],
  [
    { volumesLeft: ["local:100/vm-100-disk-0.raw", "tank:vm-100-cloudinit"] },
    "TARGET_VOLUMES_LEFT",
    "volumes on b1 have the VMID 100 already: local:100/vm-100-disk-0.raw, tank:vm-100-cloudinit",
  ],
  [{ ipProblem: { code: "IP_ZONE_FULL", message: "full" } }, "IP_ZONE_FULL", "full"],
  [{ ipProblem: { code: "IP_ZONE_MISSING", message: "none" } }, "IP_ZONE_MISSING", "none"],
];
