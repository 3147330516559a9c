// Puts a guest with its disks on a platform from outside, as if it had always been there.
import { createHash } from "node:crypto";
import type { Platform } from "../platform.js";
import { snapshotVolume } from "../snapshots/volumes.js";
import type { ConfigValues, Guest, GuestType } from "../state/guest.js";
import { newGuest } from "../state/guest.js";
import type { StorageDefinition } from "../state/storage.js";
import { isFileStorage, splitVolumeId } from "../state/storage.js";

const gib = 1024 ** 3;
/** Long enough ago for every list to know the guest. */
const ageMs = 3_600_000;

/** What is known of the guest; the rest gets believable values that follow from its VMID. */
export interface GuestPlan {
  type: GuestType;
  vmid: number;
  node: string;
  name: string;
  status: "running" | "stopped" | "paused";
  /** MiB. */
  memory: number;
  cores: number;
  /** 0: no disk. Volumes of lines in `config` that state no size have it too: with 0 there are none. */
  diskGb: number;
  /** Left out: the first storage of the node that takes such disks. */
  storage?: string | undefined;
  /** Configuration keys that replace or complete the made ones. */
  config: Record<string, string | number | boolean>;
  /** Lines of a container's configuration that Proxmox VE hands to LXC as they are; left out: none. */
  rawLines?: Guest["rawLines"];
  snapshots: readonly { name: string; description: string }[];
  /** Share of its own cores that it uses while it runs. */
  cpuLoad?: number;
  /** Bytes that it uses while it runs. */
  memoryUsed?: number;
  hastate?: string | undefined;
  /** Node that a replication job copies its disks to. */
  replicatedTo?: string;
  /** Text of its own firewall's file. */
  firewall?: string;
}

/**
 * Adds the guest and its volumes.
 * @throws Error when the VMID, node or storage does not fit
 */
export function placeGuest(platform: Platform, plan: GuestPlan): Guest {
  const { state, clock } = platform;
  if (state.guests.has(plan.vmid)) throw new Error(`VMID ${plan.vmid} is taken`);
  if (!state.nodes.has(plan.node)) throw new Error(`there is no node '${plan.node}'`);
  const createdAtMs = clock.now() - ageMs;
  const config = { ...makeConfig(platform, plan), ...asText(plan.config) };
  const guest = newGuest({ type: plan.type, vmid: plan.vmid, node: plan.node, createdAtMs }, config);
  addVolumes(platform, guest, plan.diskGb * gib);
  addSnapshots(platform, guest, plan, Math.floor(createdAtMs / 1000));
  guest.rawLines.push(...(plan.rawLines ?? []));
  guest.hastate = plan.hastate ?? null;
  guest.replicatedTo = plan.replicatedTo ?? null;
  guest.firewall = plan.firewall ?? null;
  if (plan.status !== "stopped") guest.runtime = runtimeOf(plan, createdAtMs);
  state.guests.set(guest.vmid, guest);
  return guest;
}

/** Removes a guest and every volume of it. */
export function removeGuest(platform: Platform, vmid: number): boolean {
  const { state } = platform;
  state.volumes = state.volumes.filter((volume) => volume.vmid !== vmid);
  return state.guests.delete(vmid);
}

function runtimeOf(plan: GuestPlan, startedAtMs: number): Guest["runtime"] {
  const memoryBytes = plan.memoryUsed ?? Math.round(plan.memory * 1024 ** 2 * 0.6);
  const qmpstatus = plan.status === "paused" ? ("paused" as const) : ("running" as const);
  const cpu = plan.cpuLoad ?? 0.02;
  return { pid: 10_000 + (plan.vmid % 20_000), startedAtMs, qmpstatus, cpu, memoryBytes, machine: null };
}

function addSnapshots(platform: Platform, guest: Guest, plan: GuestPlan, snaptime: number): void {
  let parent: string | null = null;
  for (const { name, description } of plan.snapshots) {
    const config = { ...guest.config };
    guest.snapshots.set(name, { config, snaptime, description, parent, snapstate: null, memory: null });
    for (const value of Object.values(config))
      snapshotVolume(platform, value.split(",")[0] ?? "", { node: guest.node, name });
    parent = name;
  }
  if (parent !== null) guest.config.parent = parent;
}

function makeConfig(platform: Platform, plan: GuestPlan): ConfigValues {
  const disk = plan.diskGb > 0 ? diskValue(pickStorage(platform, plan), plan) : null;
  return plan.type === "qemu" ? qemuConfig(platform, plan, disk) : lxcConfig(plan, disk);
}

function qemuConfig(platform: Platform, plan: GuestPlan, disk: string | null): ConfigValues {
  const created = Math.floor((platform.clock.now() - ageMs) / 1000);
  return {
    name: plan.name,
    memory: String(plan.memory),
    cores: String(plan.cores),
    sockets: "1",
    cpu: "host",
    ostype: "l26",
    scsihw: "virtio-scsi-single",
    agent: "1",
    boot: "order=scsi0;net0",
    net0: `virtio=${macAddress(plan)},bridge=vmbr0`,
    smbios1: `uuid=${uuid(plan, "smbios")}`,
    vmgenid: uuid(plan, "vmgenid"),
    meta: `creation-qemu=9.2.0,ctime=${created}`,
    ...(disk === null ? {} : { scsi0: disk }),
  };
}

function lxcConfig(plan: GuestPlan, disk: string | null): ConfigValues {
  return {
    hostname: plan.name,
    memory: String(plan.memory),
    swap: "512",
    cores: String(plan.cores),
    arch: "amd64",
    ostype: "debian",
    unprivileged: "1",
    features: "nesting=1",
    net0: `name=eth0,bridge=vmbr0,hwaddr=${macAddress(plan)},ip=dhcp,type=veth`,
    ...(disk === null ? {} : { rootfs: disk }),
  };
}

function pickStorage(platform: Platform, plan: GuestPlan): StorageDefinition {
  const content = plan.type === "qemu" ? "images" : "rootdir";
  const { storages } = platform.state;
  const isUsable = (storage: StorageDefinition): boolean =>
    storage.content.includes(content) && (storage.nodes === null || storage.nodes.includes(plan.node));
  const found = plan.storage === undefined ? [...storages.values()].find(isUsable) : storages.get(plan.storage);
  if (found === undefined) throw new Error(`there is no storage '${plan.storage ?? content}'`);
  if (!isUsable(found)) throw new Error(`storage '${found.name}' does not take ${content} on node '${plan.node}'`);
  return found;
}

function diskValue(storage: StorageDefinition, plan: GuestPlan): string {
  const disk = `vm-${plan.vmid}-disk-0`;
  const extension = plan.type === "qemu" ? "qcow2" : "raw";
  const name = isFileStorage(storage) ? `${plan.vmid}/${disk}.${extension}` : disk;
  const size = Number.isInteger(plan.diskGb) ? `${plan.diskGb}G` : `${Math.round(plan.diskGb * 1024)}M`;
  return `${storage.name}:${name},size=${size}`;
}

const diskKey = /^(?:ide|sata|scsi|virtio|efidisk|tpmstate|unused|mp)\d+$|^rootfs$/;

/** Every disk that the configuration names gets its volume, unless there is one already. */
function addVolumes(platform: Platform, guest: Guest, unstatedBytes: number): void {
  for (const [key, value] of Object.entries(guest.config)) {
    if (!diskKey.test(key)) continue;
    const size = statedBytes(value) ?? (smallDrive.test(`${key}: ${value}`) ? smallBytes : unstatedBytes);
    if (size > 0) addVolume(platform, guest, { value, size });
  }
}

function addVolume(platform: Platform, guest: Guest, { value, size }: { value: string; size: number }): void {
  const [volid = ""] = value.split(",");
  const parts = splitVolumeId(volid);
  const storage = parts === null ? undefined : platform.state.storages.get(parts.storage);
  if (parts === null || storage === undefined || !parts.name.includes(`-${guest.vmid}-`)) return;
  const { volumes } = platform.state;
  if (volumes.some((volume) => volume.storage === storage.name && volume.name === parts.name)) return;
  volumes.push({
    storage: storage.name,
    node: storage.shared ? null : guest.node,
    name: parts.name,
    content: guest.type === "qemu" ? "images" : "rootdir",
    format: /\.(qcow2|raw|vmdk)$/.exec(parts.name)?.[1] ?? "raw",
    size,
    used: Math.round(size * 0.4),
    vmid: guest.vmid,
    parent: null,
    ctime: Math.floor(guest.createdAtMs / 1000),
    hasSystem: true,
  });
}

const units: Readonly<Record<string, number>> = { K: 1024, M: 1024 ** 2, G: gib, T: 1024 ** 4 };
/** Cloud-init drives, UEFI variables and TPM states are as small as this. */
const smallDrive = /^(?:efidisk|tpmstate)\d|cloudinit/;
const smallBytes = 4 * 1024 ** 2;

/** Null: the line states no size, as old ones and those written by hand may not. */
function statedBytes(value: string): number | null {
  const [, number, unit = ""] = /,size=([\d.]+)([KMGT]?)(?:,|$)/.exec(value) ?? [];
  return number === undefined ? null : Math.round(Number(number) * (units[unit] ?? 1));
}

function asText(values: Record<string, string | number | boolean>): ConfigValues {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, configText(value)]));
}

function configText(value: string | number | boolean): string {
  return typeof value === "boolean" ? String(Number(value)) : String(value);
}

function digest(plan: GuestPlan, purpose: string): string {
  return createHash("sha1").update(`${plan.node}/${plan.vmid}/${plan.name}/${purpose}`).digest("hex");
}

function macAddress(plan: GuestPlan): string {
  const bytes = digest(plan, "mac").slice(0, 6).toUpperCase();
  return `BC:24:11:${bytes.slice(0, 2)}:${bytes.slice(2, 4)}:${bytes.slice(4, 6)}`;
}

function uuid(plan: GuestPlan, purpose: string): string {
  const hex = digest(plan, purpose);
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}
