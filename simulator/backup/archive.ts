// Describes what a backup archive holds, how it is named, and finds it on a storage.
import type { Platform } from "../platform.js";
import type { Archive, Guest, GuestType } from "../state/guest.js";
import type { Volume } from "../state/storage.js";
import { findVolume } from "../storage/volumes.js";

const extensions: Readonly<Record<string, string>> = { gzip: ".gz", "1": ".lzo", lzo: ".lzo", zstd: ".zst" };

/** What an archive's name tells. */
interface ArchiveName {
  type: GuestType;
  vmid: number;
  /** `vma.zst` */
  format: string;
}

/** Takes the file name of an archive apart; null when it is none. */
export function parseArchiveName(name: string): ArchiveName | null {
  const form = /^(?:backup\/)?vzdump-(qemu|lxc)-(\d+)-(?:[^/]*?)\.((?:vma|tar)(?:\.(?:gz|lzo|zst|bz2))?|tgz)$/;
  const [, type, vmid, format = ""] = form.exec(name) ?? [];
  if (type !== "qemu" && type !== "lxc") return null;
  return { type, vmid: Number(vmid), format };
}

/** `vzdump-qemu-100-2026_11_22-23_28_43.vma.zst`, in the node's local time. */
export function archiveName(guest: Pick<Guest, "type" | "vmid">, atMs: number, compress: string): string {
  const local = new Date(atMs - new Date(atMs).getTimezoneOffset() * 60_000).toISOString();
  const moment = `${local.slice(0, 10).replaceAll("-", "_")}-${local.slice(11, 19).replaceAll(":", "_")}`;
  return `vzdump-${guest.type}-${guest.vmid}-${moment}.${guest.type === "qemu" ? "vma" : "tar"}${extensions[compress] ?? ""}`;
}

/** The archive behind a volume id, or null when there is none. */
export function findArchive(platform: Platform, volid: string, node: string): (Volume & { backup: Archive }) | null {
  const volume = findVolume(platform, volid, node);
  return volume?.backup === undefined ? null : Object.assign(volume, { backup: volume.backup });
}
