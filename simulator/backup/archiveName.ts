// Takes the file names of archives apart.
import type { GuestType } from "../state/guest.js";

/** What an archive's name tells. */
export interface ArchiveName {
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
