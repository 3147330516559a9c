// Puts an older backup on a storage from outside, as if it had been made long ago.
import type { Platform } from "../platform.js";
import type { Archive, ConfigValues, GuestType } from "../state/guest.js";
import { volumeId } from "../state/storage.js";
import { archiveName } from "./archive.js";
import { disksOf } from "./disks.js";
import { requireBackupStorage } from "./target.js";

/** What is planted; the archive holds the guest as it is now, or, without one, a small disk. */
interface BackupPlan {
  type: GuestType;
  vmid: number;
  node: string;
  storage: string;
  time: number | string;
  notes?: string | undefined;
  protected?: boolean | undefined;
}

const smallDiskBytes = 1024 ** 3;

/** @returns its volume id @throws Error when node or storage do not fit, or the archive is there already */
export function plantBackup(platform: Platform, plan: BackupPlan): string {
  const { state } = platform;
  if (!state.nodes.has(plan.node)) throw new Error(`there is no node '${plan.node}'`);
  const storage = requireBackupStorage(state, plan.storage, plan.node);
  const atMs = typeof plan.time === "number" ? plan.time * 1000 : Date.parse(plan.time);
  const name = `backup/${archiveName(plan, atMs, "zstd")}`;
  if (state.volumes.some((volume) => volume.storage === storage.name && volume.name === name))
    throw new Error(`there is already an archive '${name}'`);
  const backup = contents(platform, plan);
  const size = backup.disks.reduce((sum, disk) => sum + disk.used, 0);
  const volume = {
    storage: storage.name,
    node: storage.shared ? null : plan.node,
    name,
    content: "backup" as const,
    format: plan.type === "qemu" ? "vma.zst" : "tar.zst",
    size,
    used: size,
    vmid: plan.vmid,
    parent: null,
    ctime: Math.floor(atMs / 1000),
    hasSystem: false,
    backup,
  };
  state.volumes.push(volume);
  return volumeId(volume);
}

function contents(platform: Platform, plan: BackupPlan): Archive {
  const described = { notes: plan.notes ?? null, protected: plan.protected ?? null };
  const guest = platform.state.guests.get(plan.vmid);
  if (guest !== undefined && guest.type === plan.type) {
    const { lock: _lock, ...config } = guest.config;
    const disks = disksOf(platform, guest).filter(({ included }) => included);
    const { rawLines, firewall } = guest;
    return { type: plan.type, vmid: plan.vmid, config, rawLines: [...rawLines], firewall, disks, ...described };
  }
  const key = plan.type === "qemu" ? "scsi0" : "rootfs";
  const disk = { key, bytes: smallDiskBytes, used: smallDiskBytes / 4, storage: plan.storage, hasSystem: true };
  const format = plan.type === "qemu" ? "qcow2" : "raw";
  const config: ConfigValues =
    plan.type === "qemu" ? { name: `vm${plan.vmid}`, memory: "512" } : { hostname: `ct${plan.vmid}` };
  return {
    type: plan.type,
    vmid: plan.vmid,
    config: { ...config, [key]: `${plan.storage}:${plan.vmid}/vm-${plan.vmid}-disk-0.${format},size=1G` },
    rawLines: [],
    firewall: null,
    disks: [{ ...disk, format }],
    ...described,
  };
}
