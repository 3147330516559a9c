// Names volumes and their files as the storage types do.
import { parseArchiveName } from "../backup/archiveName.js";
import { failure } from "../api.js";
import type { StorageDefinition, StorageType, Volume } from "../state/storage.js";
import { isFileStorage } from "../state/storage.js";

/** What a volume name tells. */
interface VolumeName {
  content: Volume["content"];
  /** Last part, without base and directory. */
  name: string;
  vmid: number | null;
  isBase: boolean;
  /** Base volume's name of a linked clone. */
  base: string | null;
  format: string;
}

const archiveFormats: Readonly<Record<string, string>> = { gz: "tgz", zst: "tzst", xz: "txz", bz2: "tbz2" };

/** @throws ApiError 500 in the words of the storage's type */
export function requireVolumeName(storage: StorageDefinition, text: string): VolumeName {
  const parsed = parseVolumeName(storage, text);
  if (parsed !== null) return parsed;
  if (!isFileStorage(storage))
    throw failure(`unable to parse ${pluginNames[storage.type] ?? ""} volume name '${text}'`);
  const image = /^\d+\/(\S+)$/.exec(text)?.[1];
  throw failure(
    image === undefined
      ? `unable to parse directory volume name '${text}'`
      : `unable to parse volume filename '${image}'`,
  );
}

const pluginNames: Readonly<Partial<Record<StorageType, string>>> = {
  lvm: "lvm",
  lvmthin: "lvm",
  zfspool: "zfs",
  rbd: "rbd",
};

/** Takes the part after the colon of a volume id apart; null when no storage makes such names. */
export function parseVolumeName(storage: StorageDefinition, text: string): VolumeName | null {
  return parseFileName(text) ?? parseImageName(storage, text);
}

function parseFileName(text: string): VolumeName | null {
  const plain = { name: text, vmid: null, isBase: false, base: null };
  if (/^iso\/[^/]+\.(?:iso|img)$/i.test(text)) return { ...plain, content: "iso", format: "iso" };
  const template = /^vztmpl\/[^/]+\.tar(?:\.(gz|zst|xz|bz2))?$/.exec(text);
  if (template !== null) return { ...plain, content: "vztmpl", format: archiveFormats[template[1] ?? ""] ?? "tar" };
  if (/^snippets\/[^/]+$/.test(text)) return { ...plain, content: "snippets", format: "snippet" };
  if (/^import\/[^/]+$/.test(text)) return { ...plain, content: "import", format: text.split(".").at(-1) ?? "raw" };
  const archive = /^backup\/[^/]+$/.test(text) ? parseArchiveName(text) : null;
  return archive === null ? null : { ...plain, content: "backup", format: archive.format, vmid: archive.vmid };
}

function parseImageName(storage: StorageDefinition, text: string): VolumeName | null {
  const match = isFileStorage(storage)
    ? /^(?:(\d+\/base-\d+-[^/]+)\/)?(?:\d+)\/((?:[^/]+\.(raw|qcow2|vmdk|subvol)))$/.exec(text)
    : /^(?:(base(?:vol)?-\d+-\S+)\/)?((?:vm|base|subvol|basevol)-\d+-\S+)()$/.exec(text);
  if (match === null) return null;
  const [, base, name = "", extension] = match;
  const owner = /^(?:vm|base|subvol|basevol)-(\d+)-/.exec(name)?.[1] ?? /(?:^|\/)(\d+)\/[^/]+$/.exec(text)?.[1];
  const isSubvolume = name.startsWith("subvol-") || name.startsWith("basevol-");
  return {
    content: "images",
    name,
    vmid: owner === undefined ? null : Number(owner),
    isBase: name.startsWith("base"),
    base: base ?? null,
    format: extension || (isSubvolume ? "subvol" : "raw"),
  };
}

/** Name of a volume that belongs to a guest, such as `100/vm-100-disk-0.qcow2` or `vm-100-disk-0`. */
export function imageName(storage: StorageDefinition, vmid: number, name: string): string {
  return isFileStorage(storage) ? `${vmid}/${name}` : name;
}

/** First free `vm-100-disk-N`, with the extension that file storages add. */
export function nextDiskName(options: {
  storage: StorageDefinition;
  vmid: number;
  format: string;
  taken: readonly string[];
}): string {
  const { storage, vmid, format, taken } = options;
  const prefix = format === "subvol" ? "subvol" : "vm";
  const extension = isFileStorage(storage) ? `.${format}` : "";
  const used = new Set(
    taken.map((name) => /-(\d+)-disk-(\d+)/.exec(name)).map((match) => `${match?.[1]}:${match?.[2]}`),
  );
  for (let index = 0; ; index += 1)
    if (!used.has(`${vmid}:${index}`)) return `${prefix}-${vmid}-disk-${index}${extension}`;
}

/** The base volume's name when a guest becomes a template. */
export function baseName(name: string): string {
  return name.replace(/(^|\/)vm-/, "$1base-").replace(/(^|\/)subvol-/, "$1basevol-");
}

/** Name of a linked clone: most storages keep the base in it. */
export function linkedName(storage: StorageDefinition, base: string, own: string): string {
  return storage.type === "lvmthin" ? own : `${base}/${own}`;
}

/** Place of a volume in the node's file system, as logs show it. */
export function volumePath(storage: StorageDefinition, name: string): string {
  const own = name.split("/").slice(-2).join("/");
  const directory: Readonly<Record<string, string>> = {
    iso: "template/iso",
    vztmpl: "template/cache",
    backup: "dump",
    snippets: "snippets",
  };
  const [kind = "", ...rest] = name.split("/");
  if (isFileStorage(storage))
    return directory[kind] === undefined
      ? `${storage.path}/images/${own}`
      : `${storage.path}/${directory[kind]}/${rest.join("/")}`;
  if (storage.type === "zfspool") return `/dev/zvol/${storage.path}/${name.split("/").at(-1)}`;
  return storage.type === "rbd" ? `rbd:${storage.path}/${name}` : `/dev/${storage.path}/${name}`;
}
