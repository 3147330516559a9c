// Copies one volume of a stopped guest through the tunnel, with dd's words on both sides (StorageTunnel).
import type { WebSocket } from "ws";
import { failure } from "../api.js";
import type { Volume } from "../state/storage.js";
import { isFileStorage, volumeId } from "../state/storage.js";
import { storageNamed } from "../storage/storages.js";
import { atLeast } from "../version.js";
import { bytesPerSecond } from "./bandwidth.js";
import { copiedLine, recordsLine } from "./figures.js";
import type { Migration } from "./migration.js";
import type { ContentMessage } from "./protocol.js";
import type { Tunnel } from "./tunnelClient.js";

/** A volume to copy and where to. */
export interface VolumeToCopy {
  volume: Volume;
  targetStorage: string;
  /** KiB/s; null unlimited. */
  bandwidth: number | null;
}

const blockBytes = 4096;
const cluster = 65_536;
const gib = 1024 ** 3;

/** Bytes that a qcow2 file has beyond what it holds: header, tables of references, and one table each 512 MiB. */
function qcow2Overhead(size: number): number {
  return (3 + Math.ceil(size / (2 * gib)) + Math.ceil(size / (gib / 2))) * cluster;
}

/**
 * Copies a volume.
 * @returns its id on the target
 * @throws ApiError when the target refuses it or the connection breaks
 */
export async function copyVolume(migration: Migration, copy: VolumeToCopy): Promise<string> {
  const tunnel = migration.openTunnel();
  const { volume, targetStorage } = copy;
  const withSnapshots = volume.format === "qcow2" || volume.format === "vmdk";
  const reply = await tunnel.command("disk-import", {
    storage: targetStorage,
    format: volume.format,
    volname: targetName(volume, migration.order.targetVmid),
    with_snapshots: Number(withSnapshots),
    allow_rename: 1,
    export_formats: exportFormat(migration, volume),
    size: volume.size,
  });
  const data = await tunnel.forward(String(reply.socket));
  await sendVolume(migration, copy, data);
  return waitForImport(migration, tunnel);
}

function targetName(volume: Volume, targetVmid: number): string {
  const own = volume.name.split("/").at(-1) ?? volume.name;
  return own.replace(`-${volume.vmid ?? ""}-`, `-${targetVmid}-`);
}

function exportFormat({ platform }: Migration, volume: Volume): string {
  const storage = storageNamed(platform.state, volume.storage);
  if (storage.type === "zfspool") return "zfs";
  if (volume.format === "subvol") return "tar+size";
  return isFileStorage(storage) ? `${volume.format}+size` : "raw+size";
}

async function sendVolume(migration: Migration, copy: VolumeToCopy, data: WebSocket): Promise<void> {
  const { log } = migration;
  const { volume, bandwidth } = copy;
  const volid = volumeId(volume);
  if (bandwidth !== null) {
    log.info(`using a bandwidth limit of ${bandwidth * 1024} bytes per second for transferring '${volid}'`);
  }
  const sender = new Sender(migration, copy, data);
  try {
    await sender.run();
  } catch (error) {
    if (error !== migration.task.signal.reason || migration.task.dead) throw error;
    migration.openTunnel().interrupt();
    log.raw(`command '${exportCommand(migration, copy)}' failed: interrupted by signal`);
    log.raw("");
    migration.openTunnel().failReply("query-disk-import");
  }
}

function exportCommand(migration: Migration, { volume, bandwidth }: VolumeToCopy): string {
  const snapshots = volume.format === "qcow2" || volume.format === "vmdk" ? 1 : 0;
  const format = exportFormat(migration, volume);
  const plain = `pvesm export ${volumeId(volume)} ${format} - -with-snapshots ${snapshots}`;
  return bandwidth === null ? plain : `set -o pipefail && ${plain} | /usr/bin/cstream -t ${bandwidth * 1024}`;
}

/** Spends the time of the transfer and tells both sides how far it is. */
class Sender {
  readonly #total: number;
  #sent = 0;
  #seconds = 0;
  #lines = 0;

  constructor(
    private readonly migration: Migration,
    private readonly copy: VolumeToCopy,
    private readonly data: WebSocket,
  ) {
    const { size, format } = copy.volume;
    this.#total = size + (format === "qcow2" ? qcow2Overhead(size) : 0);
  }

  async run(): Promise<void> {
    while (this.#sent < this.#total) await this.#step();
    this.#finish();
  }

  async #step(): Promise<void> {
    const rate = Math.max(1, bytesPerSecond(this.migration, this.copy.bandwidth));
    const left = this.#total - this.#sent;
    const bytes = Math.min(left, rate);
    await this.migration.sleep((bytes / rate) * 1000);
    this.#seconds += bytes / rate;
    this.#sent = bytes === left ? this.#total : this.#sent + bytes;
    if (this.data.readyState !== this.data.OPEN) throw failure("command 'pvesm export' failed: broken pipe");
    this.#tell({ received: Math.min(this.#wholeBlocks(), this.copy.volume.size) });
    if (this.#sent < this.#total) this.#logProgress();
  }

  /** What has been sent as dd counts it. */
  #wholeBlocks(): number {
    return this.#sent === this.#total ? this.#total : Math.floor(this.#sent / blockBytes) * blockBytes;
  }

  /** Releases before 8.1 print the summary only; those before 9.1.7 write progress over itself in one line. */
  #logProgress(): void {
    const { migration, copy } = this;
    const { release } = migration.platform;
    if (copy.volume.format === "subvol" || !atLeast(release, "8.4")) return;
    const line = copiedLine(this.#wholeBlocks(), this.#seconds);
    if (atLeast(release, "9.2") || this.#lines === 0) migration.log.raw(line);
    else migration.log.append(line);
    this.#lines += 1;
  }

  #finish(): void {
    const { log } = this.migration;
    this.#tell({ end: this.#total, seconds: this.#seconds, hasSystem: this.copy.volume.hasSystem });
    if (this.copy.volume.format === "subvol") return;
    log.raw(recordsLine(this.#total, "in"));
    log.raw(recordsLine(this.#total, "out"));
    log.raw(copiedLine(this.#total, this.#seconds));
  }

  #tell(message: ContentMessage): void {
    this.data.send(JSON.stringify(message));
  }
}

/** The target hands out one line of the import's output a second. */
async function waitForImport(migration: Migration, tunnel: Tunnel): Promise<string> {
  const { log } = migration;
  for (;;) {
    const reply = await tunnel.command("query-disk-import");
    if (reply.status === "complete") return String(reply.volid);
    if (reply.status !== "pending") {
      log.error(`unknown query-disk-import result: ${String(reply.status)}`);
      throw failure("disk import failed - see log above");
    }
    log.info(reply.msg === undefined ? "waiting for disk import to finish.." : `disk-import: ${reply.msg}`);
    await migration.sleep(1000);
  }
}
