// Receives one offline volume on the target: the volume grows while data comes in, the import's output is read later.
import { ApiError } from "../api.js";
import type { Platform } from "../platform.js";
import type { AccessState } from "../state/access.js";
import { splitTokenId } from "../state/access.js";
import type { StorageDefinition, Volume } from "../state/storage.js";
import { isFileStorage, volumeId } from "../state/storage.js";
import { volumePath } from "../storage/naming.js";
import { canHold, storageNamed } from "../storage/storages.js";
import { allocate, findVolume, free } from "../storage/volumes.js";
import { copiedLine, recordsLine } from "./figures.js";
import type { DiskImport } from "./protocol.js";

/** Formats that a storage can take in, with or without snapshots in the stream. */
function importFormats(isFile: boolean, type: string, withSnapshots: boolean): string[] {
  if (type === "zfspool") return ["zfs"];
  if (!isFile) return withSnapshots ? [] : ["raw+size"];
  return withSnapshots ? ["qcow2+size", "vmdk+size"] : ["raw+size", "qcow2+size", "vmdk+size", "tar+size"];
}

/** The first format that both sides know, or null. */
export function commonFormat(platform: Platform, order: DiskImport): string | null {
  const storage = storageNamed(platform.state, order.storage);
  const known = importFormats(isFileStorage(storage), storage.type, order.with_snapshots === 1);
  return order.export_formats.split(",").find((format) => known.includes(format)) ?? null;
}

/** A volume that is being copied in. */
export class IncomingDisk {
  /** Output of the import, not yet read by the source. */
  readonly output: string[];
  #volume: Volume | null = null;
  #ended = false;

  constructor(
    private readonly platform: Platform,
    private readonly target: { node: string; vmid: number },
    private readonly order: DiskImport,
  ) {
    this.output = [...invalidRules(platform.state.access), "ready"];
  }

  /** Volume id of the finished import. */
  get volid(): string {
    return this.#volume === null ? "" : volumeId(this.#volume);
  }

  /** The import is over, one way or the other. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Makes the volume when the source has connected; what the storage says goes to the output. @returns whether there is room */
  begin(): boolean {
    try {
      this.#allocate();
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return this.#fail(error.message);
    }
  }

  #allocate(): void {
    const { order, platform, target } = this;
    const storage = storageNamed(platform.state, order.storage);
    const format = isFileStorage(storage) ? order.format : order.format === "subvol" ? "subvol" : "raw";
    const name = targetName(order.volname, isFileStorage(storage) ? `.${format}` : "");
    const directory = isFileStorage(storage) ? `${target.vmid}/` : "";
    const isTaken = findVolume(platform, `${storage.name}:${directory}${name}`, target.node) !== null;
    if (isTaken)
      this.output.push(`${existing(storage, directory + name)} already exists - importing with a different name`);
    this.#volume = allocate(
      platform,
      { storage: storage.name, ...target, format, bytes: order.size, ...(isTaken ? {} : { name }) },
      (line) => this.output.push(line),
    );
    this.#showSize(this.#volume, 0);
  }

  /** A file has the size of what has arrived; a block volume has its size from the start. @returns whether there is room */
  grow(received: number): boolean {
    const volume = this.#volume;
    if (volume === null || this.#ended) return false;
    const { platform, target } = this;
    if (!canHold(platform.state, volume, { node: target.node, bytes: received })) {
      const path = volumePath(storageNamed(platform.state, volume.storage), volume.name);
      return this.#fail(`dd: error writing '${path}': No space left on device`);
    }
    volume.used = Math.max(volume.used, received);
    this.#showSize(volume, received);
    return true;
  }

  #showSize(volume: Volume, received: number): void {
    if (isFileStorage(storageNamed(this.platform.state, volume.storage))) volume.size = received;
  }

  /** The import dies of a fault of its own: then it removes what it has made. */
  #fail(why: string): false {
    this.output.push(why);
    if (this.#volume !== null) free(this.platform, this.#volume, (line) => this.output.push(line));
    this.#volume = null;
    this.#ended = true;
    return false;
  }

  /** @param hasSystem whether what has arrived carries an operating system */
  finish({
    end: received,
    seconds,
    hasSystem = false,
  }: {
    end: number;
    seconds: number;
    hasSystem?: boolean | undefined;
  }): void {
    if (this.#volume === null || this.#ended) return;
    this.#volume.size = this.order.size;
    this.#volume.hasSystem = hasSystem;
    this.#volume.used = Math.max(this.#volume.used, received);
    if (this.order.format !== "subvol") {
      this.output.push(recordsLine(received, "in"), recordsLine(received, "out"), copiedLine(received, seconds));
    }
    this.output.push(`successfully imported '${this.volid}'`);
    this.#ended = true;
  }

  /** The connection was cut: what has arrived stays where it is. */
  abort(): void {
    this.#ended = true;
  }
}

/** A volume in the words of its storage. */
function existing(storage: StorageDefinition, name: string): string {
  if (isFileStorage(storage)) return `file '${volumePath(storage, name)}'`;
  if (storage.type === "rbd") return `volume ${name}`;
  return storage.type === "zfspool" ? `volume '${storage.path}/${name}'` : `volume ${storage.path}/${name}`;
}

function targetName(volname: string, extension: string): string {
  return volname.replace(/^.*\//, "").replace(/\.(?:raw|qcow2|vmdk|subvol)$/, "") + extension;
}

/** Rules of tokens that are gone make every program that reads the users complain. */
function invalidRules({ rules, users }: AccessState): string[] {
  const isGone = (label: string): boolean => {
    const token = splitTokenId(label);
    return token !== null && users.get(token.user)?.tokens.has(token.token) !== true;
  };
  const gone = rules.filter((rule) => rule.type === "token" && isGone(rule.ugid)).map((rule) => rule.ugid);
  return [...new Set(gone)].map((label) => `user config - ignore invalid acl token '${label}'`);
}
