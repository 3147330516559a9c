// Furnishes a believable host: a standalone node or a cluster with templates, storages, bridges and working guests.
import { createHash } from "node:crypto";
import type { NodeOptions, StorageOptions } from "../create.js";
import type { Platform } from "../platform.js";
import { bridge } from "../state/node.js";
import type { Volume } from "../state/storage.js";
import { demoGuests } from "./demoGuests.js";
import { placeGuest } from "./placeGuest.js";
import type { Scenario, Stage } from "./scenario.js";
import { Seeded } from "./seeded.js";

const gib = 1024 ** 3;
const daySeconds = 86_400;
const firstTemplate = 9000;

const templates = [
  { name: "debian-12", diskGb: 3, user: "debian" },
  { name: "ubuntu-24.04", diskGb: 4, user: "ubuntu" },
] as const;

/** Template files and images that every node has, with their sizes in bytes. */
const files = [
  { name: "vztmpl/debian-12-standard_12.7-1_amd64.tar.zst", format: "tzst", size: 126_515_062 },
  { name: "vztmpl/ubuntu-24.04-standard_24.04-2_amd64.tar.zst", format: "tzst", size: 141_589_318 },
  { name: "vztmpl/alpine-3.20-default_20240908_amd64.tar.xz", format: "txz", size: 3_259_392 },
  { name: "iso/debian-12.7.0-amd64-netinst.iso", format: "iso", size: 661_651_456 },
] as const;

/** Hardware of the nodes, by turns: processors and memory. */
const hardware = [
  { cpus: 16, memoryGib: 64 },
  { cpus: 12, memoryGib: 32 },
  { cpus: 24, memoryGib: 96 },
] as const;

export const demo: Scenario = {
  platform(stage) {
    const clustered = stage.nodes.length > 1;
    return {
      ...(clustered ? { clusterName: stage.name } : {}),
      nodes: stage.nodes.map((node, index) => describeNode(stage, node, index)),
      storages: storages(clustered),
      volumes: stage.nodes.flatMap(filesOf),
    };
  },
  furnish(platform, stage) {
    const storage = stage.nodes.length > 1 ? "ceph-vm" : "local-lvm";
    placeTemplates(platform, stage, storage);
    for (const [index, node] of stage.nodes.entries()) {
      const firstVmid = 100 + index * 100;
      const guests = guestCount(stage, node);
      const plans = demoGuests({ node, firstVmid, guests, storage, network: networkOf(stage, index) });
      for (const plan of plans) placeGuest(platform, plan);
    }
  },
};

/** Between four and seven guests a node of a cluster, ten to fifteen on a node of its own. */
function guestCount({ name, nodes }: Stage, node: string): number {
  const random = new Seeded(`${name}/${node}`);
  return Math.floor(nodes.length > 1 ? random.between(4, 8) : random.between(10, 16));
}

function hostNumber(name: string): number {
  return createHash("sha256").update(name).digest().readUInt8(0);
}

/** First three numbers of a node's network: one network a node, in a range of the host's own. */
function networkOf({ name }: Stage, index: number): string {
  return `10.${20 + (hostNumber(name) % 200)}.${index}`;
}

function describeNode(stage: Stage, node: string, index: number): NodeOptions {
  const random = new Seeded(`${stage.name}/${node}/hardware`);
  const { cpus, memoryGib } = hardware[(hostNumber(stage.name) + index) % hardware.length] ?? hardware[0];
  const network = networkOf(stage, index);
  return {
    name: node,
    cpus,
    memoryBytes: memoryGib * gib,
    rootBytes: 96 * gib,
    uptimeSeconds: Math.floor(random.between(3, 90) * daySeconds),
    network: [
      bridge("vmbr0", { cidr: `${network}.2/24`, gateway: `${network}.1`, bridgePorts: "eno1" }),
      bridge("vmbr1", { vlanAware: true }),
    ],
  };
}

function storages(clustered: boolean): StorageOptions[] {
  return [
    {
      name: "local",
      type: "dir",
      content: ["iso", "vztmpl", "backup", "snippets"],
      totalBytes: 94 * gib,
      foreignBytes: 9 * gib,
    },
    { name: "local-lvm", type: "lvmthin", content: ["images", "rootdir"], path: "pve", totalBytes: 1700 * gib },
    ...(clustered
      ? [
          {
            name: "ceph-vm",
            type: "rbd" as const,
            content: ["images" as const, "rootdir" as const],
            totalBytes: 12_000 * gib,
          },
        ]
      : []),
  ];
}

function filesOf(node: string): Partial<Volume>[] {
  return files.map(({ name, format, size }) => ({
    node,
    storage: "local",
    name,
    content: name.startsWith("iso/") ? ("iso" as const) : ("vztmpl" as const),
    format,
    size,
  }));
}

/** QEMU templates with a cloud-init drive, on the first node; shared storage makes them usable from all. */
function placeTemplates(platform: Platform, { nodes }: Stage, storage: string): void {
  const [node = ""] = nodes;
  for (const [index, template] of templates.entries()) {
    const vmid = firstTemplate + index;
    placeGuest(platform, {
      type: "qemu",
      vmid,
      node,
      name: template.name,
      status: "stopped",
      memory: 2048,
      cores: 2,
      diskGb: template.diskGb,
      storage,
      snapshots: [],
      config: {
        template: 1,
        scsi0: `${storage}:base-${vmid}-disk-0,discard=on,size=${template.diskGb}G,ssd=1`,
        ide2: `${storage}:vm-${vmid}-cloudinit,media=cdrom,size=4M`,
        serial0: "socket",
        ciuser: template.user,
        ipconfig0: "ip=dhcp",
        tags: "template",
      },
    });
  }
}
