// Describes storages and the volumes on them.
import type { Archive } from "./guest.js";

export type StorageType = "dir" | "lvm" | "lvmthin" | "zfspool" | "nfs" | "cifs" | "rbd" | "btrfs";
export type ContentType = "images" | "rootdir" | "vztmpl" | "iso" | "backup" | "snippets" | "import";

/** A storage as the cluster-wide configuration names it. */
export interface StorageDefinition {
  name: string;
  type: StorageType;
  content: ContentType[];
  shared: boolean;
  enabled: boolean;
  /** Members that have it; null: all. */
  nodes: string[] | null;
  /** Directory of file storages; pool or volume group of the others. */
  path: string;
  totalBytes: number;
  /** Space taken by things that are no volumes. */
  foreignBytes: number;
  /** Options of the definition that are shown as they were given; left out: none. */
  options?: Readonly<Record<string, string>>;
}

/** One volume. */
export interface Volume {
  storage: string;
  /** Member that holds it; null on shared storages. */
  node: string | null;
  /** Part of the volume id after the colon. */
  name: string;
  content: ContentType;
  format: string;
  size: number;
  used: number;
  vmid: number | null;
  /** Name of the base volume of a linked clone. */
  parent: string | null;
  /** Seconds since the epoch. */
  ctime: number;
  /** True when it carries an operating system that reacts to a shutdown request and runs the guest agent. */
  hasSystem: boolean;
  /** Snapshots inside the volume, each with its size then, bytes; left out: none. */
  snapshots?: Readonly<Record<string, number>>;
  /** What a backup holds; left out: it is none. */
  backup?: Archive;
}

const storageTypes: ReadonlySet<string> = new Set<StorageType>([
  "dir",
  "lvm",
  "lvmthin",
  "zfspool",
  "nfs",
  "cifs",
  "rbd",
  "btrfs",
]);
const contentTypes: ReadonlySet<string> = new Set<ContentType>([
  "images",
  "rootdir",
  "vztmpl",
  "iso",
  "backup",
  "snippets",
  "import",
]);

export const isStorageType = (name: string): name is StorageType => storageTypes.has(name);
export const isContentType = (name: string): name is ContentType => contentTypes.has(name);

const fileTypes: ReadonlySet<StorageType> = new Set(["dir", "nfs", "cifs", "btrfs"]);

/** True where volumes are files, so that formats and paths are free to choose. */
export function isFileStorage(storage: StorageDefinition): boolean {
  return fileTypes.has(storage.type);
}

export function volumeId(volume: Volume): string {
  return `${volume.storage}:${volume.name}`;
}

/** Storage and name of a volume id, or null when the text is none. */
export function splitVolumeId(volid: string): { storage: string; name: string } | null {
  const match = /^([a-z][a-z0-9\-_.]*[a-z0-9]):(.+)$/i.exec(volid);
  return match === null ? null : { storage: match[1] ?? "", name: match[2] ?? "" };
}
