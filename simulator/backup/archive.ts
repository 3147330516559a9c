// Describes what a backup archive holds, names it, and finds it on a storage.
import type { Platform } from "../platform.js";
import type { Archive, Guest } from "../state/guest.js";
import type { Volume } from "../state/storage.js";
import { findVolume } from "../storage/volumes.js";

const extensions: Readonly<Record<string, string>> = { gzip: ".gz", "1": ".lzo", lzo: ".lzo", zstd: ".zst" };

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
