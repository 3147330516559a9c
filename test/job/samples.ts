// What every release has stored: a sample of each shape that was ever written, as it lay in the database. None is ever changed.
import { JobKind } from "../../src/core/enums.js";
import type { StoredJob } from "../../src/job/kinds.js";

interface Sample extends StoredJob {
  /** The first commit that wrote it. */
  readonly since: string;
  /** Of the input and the facts as this release reads them: what was not written then, and how much of it all is kept. */
  readonly reads: { readonly input?: object; readonly facts?: object };
}

const row = { version: 0, guestId: 7, stepsDone: [] };

const move = {
  migrationId: 5,
  guestId: 7,
  type: "lxc",
  name: "web1",
  source: { hostId: 1, nodeId: 1, node: "pvea", vmid: 120 },
  target: { hostId: 2, nodeId: 2, node: "pveb", vmid: 120 },
  mode: "restart",
  bytesTotal: 1_073_741_824,
  expectedSeconds: 12.5,
  storages: [
    { source: "local", target: "tank" },
    { source: "fast", target: "local" },
  ],
  bridges: [{ source: "vmbr0", target: "vmbr1" }],
  ipPlan: {
    kind: "reassign",
    currentAddress: "10.0.0.21",
    newAddress: "10.1.0.3",
    zoneId: 2,
    explanation: "10.0.0.21 of zone lan becomes 10.1.0.3 of zone lan",
  },
  dropPortForwards: false,
  portForwards: [{ forwardId: 3, newPublicPort: 2222, dropped: false }],
  bandwidthMib: null,
};

const UPID = "UPID:pvea:00001326:00018D59:6B0399EA:vzmigrate:120:root@pam!panel:";
const TUNNEL = "UPID:pveb:00001072:00018D5A:6B0399EA:vztunnel:120:root@pam!mig-75-e6b28a2d01dc:";

const begun = { mode: "restart", begun: ["transfer"], tasks: { transfer: UPID }, tasksBefore: [], tunnel: TUNNEL };

/** What the source said of the target's task is not taken for proof any longer. */
const unproved = {
  mode: "restart",
  begun: ["transfer"],
  tasks: { transfer: UPID },
  tasksBefore: [],
  saidTunnel: TUNNEL,
};

const MIGRATIONS: readonly Sample[] = [
  {
    ...row,
    kind: JobKind.MIGRATION,
    since: "cebc5fd",
    input: move,
    facts: begun,
    reads: {
      input: { ...move, vmidAsked: true, room: { memoryMb: 0, storages: [{ name: "tank", bytes: 1_073_741_824 }] } },
      facts: unproved,
    },
  },
  {
    ...row,
    kind: JobKind.MIGRATION,
    since: "728ac93",
    input: { ...move, storages: [] },
    facts: { ...begun, orderedAt: "2026-11-21T19:56:00.000Z" },
    reads: {
      input: { ...move, storages: [], vmidAsked: true, room: { memoryMb: 0, storages: [] } },
      facts: { ...unproved, orderedAt: "2026-11-21T19:56:00.000Z" },
    },
  },
  {
    ...row,
    kind: JobKind.MIGRATION,
    since: "2576c9a",
    input: { ...move, room: { memoryMb: 512, storages: [{ name: "tank", bytes: 4096 }] } },
    facts: { ...begun, landed: { node: "pvec", nodeId: 3 }, wasHalted: true, transferDone: true },
    reads: {
      input: { ...move, vmidAsked: true, room: { memoryMb: 512, storages: [{ name: "tank", bytes: 4096 }] } },
      facts: { ...unproved, landed: { node: "pvec", nodeId: 3 }, wasHalted: true, transferDone: true },
    },
  },
  {
    ...row,
    kind: JobKind.MIGRATION,
    since: "6da3095",
    input: { ...move, room: { memoryMb: 512, storages: [] }, vmidAsked: false },
    facts: {
      ...begun,
      remains: { lock: "create", mark: "ab12" },
      failure: "the transfer failed: it broke",
      undoing: "removing what the transfer left of guest 120 on node pveb",
      waiting: {
        epoch: 2,
        hostId: 2,
        reason: "away",
        since: "2026-11-22T15:00:00Z",
        triesAgainAt: "2026-11-22T15:00:15Z",
      },
    },
    reads: {
      input: { ...move, room: { memoryMb: 512, storages: [] }, vmidAsked: false },
      facts: {
        ...unproved,
        remains: { lock: "create", mark: "ab12" },
        failure: "the transfer failed: it broke",
        undoing: "removing what the transfer left of guest 120 on node pveb",
        waiting: {
          epoch: 2,
          hostId: 2,
          reason: "away",
          since: "2026-11-22T15:00:00Z",
          triesAgainAt: "2026-11-22T15:00:15Z",
        },
      },
    },
  },
];

const MOVES_WITH_DISKS: readonly Sample[] = [
  {
    ...row,
    version: 1,
    kind: JobKind.MIGRATION,
    since: "2d6ea04",
    input: { ...move, room: { memoryMb: 512, storages: [] }, vmidAsked: false },
    facts: {
      ...begun,
      disks: [{ key: "rootfs", kind: "data", volume: "local:120/vm-120-disk-0.raw", storage: "local", bytes: 4096 }],
      targetWasClear: true,
      tokenModifies: false,
      saidTunnel: TUNNEL,
      leftVolumes: [{ volid: "tank:120/vm-120-disk-0.raw", createdAt: 1_795_398_122 }],
      remadeDrives: [{ key: "ide2", volume: "tank:120/vm-120-disk-1.qcow2" }],
    },
    reads: {},
  },
  {
    ...row,
    version: 1,
    kind: JobKind.MIGRATION,
    since: "2892cdb",
    input: {
      ...move,
      transferSeconds: 96,
      room: { memoryMb: 512, storages: [] },
      vmidAsked: false,
      tokenModifies: false,
    },
    facts: {},
    reads: {
      input: {
        ...move,
        transferSeconds: 96,
        room: { memoryMb: 512, storages: [] },
        vmidAsked: false,
        tokenModifies: false,
      },
    },
  },
];

const kept = {
  guest: { type: "lxc", node: "pvea", vmid: 120 },
  storage: "local",
  diskGb: 2,
  settings: { hostname: "web1", memory: "512", net0: "name=eth0,bridge=vmbr0,ip=dhcp" },
};
const image = { kind: "file", volid: "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.gz" };
const guards = {
  containerRights: { unprivileged: true, nesting: false },
  firewall: {
    options: { enable: "1" },
    aliases: [{ name: "office", cidr: "192.0.2.0/24", comment: null }],
    sets: [{ name: "blocked", comment: "c", entries: [{ cidr: "198.51.100.1", excluded: false, comment: null }] }],
    rules: [{ type: "in", action: "ACCEPT", enable: "1" }],
    complaints: [],
  },
  access: [{ path: "/vms/120", role: "PVEVMUser", propagate: true, kind: "user", subject: "ann@pve" }],
};

const REINSTALLATIONS: readonly Sample[] = [
  {
    ...row,
    kind: JobKind.GUEST_REINSTALL,
    since: "cebc5fd",
    stepsDone: ["examine", "stop", "destroy", "create", "record"],
    input: { image },
    facts: { kept, begun: ["stop", "destroy", "create"], tasks: {}, destroyed: true, made: true },
    reads: {
      input: { image },
      facts: {
        guestId: 7,
        kept: { ...kept, pool: null, guards: null },
        begun: ["stop", "destroy", "create"],
        tasks: {},
        destroyed: true,
        made: true,
      },
    },
  },
  {
    ...row,
    kind: JobKind.GUEST_REINSTALL,
    since: "6f5349c",
    stepsDone: ["examine"],
    input: { image: { kind: "template", templateId: 1, node: "pvea", vmid: 9000 } },
    facts: { kept: { ...kept, pool: "gold" }, replaced: false },
    reads: { facts: { kept: { ...kept, pool: "gold", guards: null }, replaced: false } },
  },
  {
    ...row,
    kind: JobKind.GUEST_REINSTALL,
    since: "a1e2acd",
    stepsDone: ["examine", "stop", "destroy", "create", "record"],
    input: { image },
    facts: { kept: { ...kept, pool: null, ...guards }, guestId: 7 },
    reads: { facts: { kept: { ...kept, pool: null, guards }, guestId: 7 } },
  },
  {
    ...row,
    version: 1,
    kind: JobKind.GUEST_REINSTALL,
    since: "88d00836",
    stepsDone: ["examine", "stop"],
    input: { image },
    facts: { kept: { ...kept, pool: null, guards }, begun: ["stop"], tasks: { stop: UPID } },
    reads: { input: { image } },
  },
];

const creation = {
  type: "qemu",
  name: "web1",
  cores: 2,
  memoryMb: 1024,
  diskGb: 4,
  auto: true,
  storage: "local",
  image: { kind: "template", templateId: 1, node: "pvea", vmid: 9000 },
  network: {
    bridge: "vmbr0",
    vlan: 20,
    address: { cidr: "10.0.0.5/24", gateway: "10.0.0.1", family: 4 },
    nameservers: ["192.0.2.53"],
  },
  ownerId: 3,
  planId: null,
};

const OTHERS: readonly Sample[] = [
  {
    ...row,
    kind: JobKind.GUEST_CREATE,
    since: "cebc5fd",
    input: creation,
    facts: { node: "pvea", storage: "local", begun: ["create"], tasks: { create: UPID }, made: true, guestId: 7 },
    reads: {
      input: creation,
      facts: { node: "pvea", storage: "local", begun: ["create"], tasks: { create: UPID }, made: true, guestId: 7 },
    },
  },
  {
    ...row,
    version: 1,
    kind: JobKind.GUEST_CREATE,
    since: "3bb178f5",
    input: { ...creation, vmidAsked: false, furtherDiskBytes: 0 },
    facts: { node: "pvea", storage: "local", vmid: 121, begun: ["create"], tasks: { create: UPID } },
    reads: { input: { ...creation, vmidAsked: false, furtherDiskBytes: 0 } },
  },
  {
    ...row,
    kind: JobKind.GUEST_DELETE,
    since: "23202e4",
    input: {},
    facts: { begun: ["stop"], orderedAgain: { stop: "2026-11-22T15:46:00.000Z" } },
    reads: { input: {}, facts: { begun: ["stop"], orderedAgain: { stop: "2026-11-22T15:46:00.000Z" } } },
  },
  ...[JobKind.SAFETY_COPY_DELETE, JobKind.EVACUATION, JobKind.BALANCE_RUN].map((kind) => ({
    ...row,
    kind,
    since: "cebc5fd",
    input: {},
    facts: {},
    reads: { input: {}, facts: {} },
  })),
];

export const SAMPLES: readonly Sample[] = [...MIGRATIONS, ...MOVES_WITH_DISKS, ...REINSTALLATIONS, ...OTHERS];
