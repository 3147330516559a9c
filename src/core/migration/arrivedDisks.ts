// Compares the disks of a guest with what has arrived of them: the platform renames what it finds no place for, and says nothing.
import { DiskKind, type Disk } from "../inventory/disk.js";
import { isCopied } from "./estimate.js";

/** What a drive is called. */
const WORDS: Readonly<Record<DiskKind, string>> = {
  [DiskKind.DATA]: "a disk",
  [DiskKind.CDROM]: "a CD drive",
  [DiskKind.CLOUD_INIT]: "a cloud-init drive",
  [DiskKind.EFI]: "an EFI disk",
  [DiskKind.TPM]: "a TPM state",
  [DiskKind.UNUSED]: "an unused disk",
  [DiskKind.HOST_PATH]: "a path of the node",
};

/** One drive that is not what it was. */
export interface DiskDifference {
  /** Its slot, such as `ide2`. */
  readonly key: string;
  /** What is different, in words. */
  readonly text: string;
  /**
   * Where the guest's cloud-init drive is a CD drive now: that drive. Its content is no loss, since the platform writes it by the
   * guest's configuration. Null: it is another difference.
   */
  readonly lostCloudInit: Disk | null;
}

/** @returns every drive that should have come along and is missing, something else, or of another size. */
export function diskDifferences(before: readonly Disk[], arrived: readonly Disk[]): DiskDifference[] {
  return before.filter(isCopied).flatMap((disk) => {
    const now = arrived.find(({ key }) => key === disk.key);
    const text = differenceOf(disk, now);
    if (text === null) return [];
    const isLost = disk.kind === DiskKind.CLOUD_INIT && now?.kind === DiskKind.CDROM && now.storage !== null;
    return [{ key: disk.key, text, lostCloudInit: isLost ? now : null }];
  });
}

function differenceOf({ key, kind, bytes }: Disk, now: Disk | undefined): string | null {
  if (now === undefined) return `${key} is missing, which was ${WORDS[kind]}`;
  if (now.kind !== kind) return `${key} was ${WORDS[kind]} and is ${WORDS[now.kind]} with ${now.volume}`;
  if (kind !== DiskKind.DATA || bytes === null || now.bytes === null || now.bytes === bytes) return null;
  return `${key} had ${bytes} bytes and has ${now.bytes}`;
}
