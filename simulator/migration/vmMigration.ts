// Moves a VM: scans and copies its disks, writes its configuration on the target, and lets go of the source.
import { checkLock } from "../guests/config.js";
import { failure } from "../api.js";
import { formatSize, parseSize } from "../parameters/sizes.js";
import { drivesOf, isDriveName, parseDrive, printDrive } from "../qemu/drives.js";
import { removeGuest } from "../scenarios/placeGuest.js";
import type { ConfigValues } from "../state/guest.js";
import { atLeast } from "../version.js";
import { mapBridges, mapVolumes, targetBridges } from "./bridges.js";
import { writeConfig } from "./configText.js";
import { copyVolume } from "./copyVolume.js";
import { mapId } from "./idMap.js";
import type { Mirror } from "./liveTransfer.js";
import { LiveTransfer } from "./liveTransfer.js";
import { refuseLocalDevices } from "./localDevices.js";
import type { Migration, Procedure } from "./migration.js";
import { openSource } from "./openSource.js";
import type { VmVolume } from "./vmVolumes.js";
import { scanVolumes, sourceStorages } from "./vmVolumes.js";

/** The phases of a VM's migration. */
export class VmMigration implements Procedure {
  #volumes: VmVolume[] = [];
  #running = false;
  #failedLive = false;
  #live: LiveTransfer | null = null;

  constructor(private readonly migration: Migration) {}

  async prepare(): Promise<boolean> {
    const { guest, order, log, platform } = this.migration;
    checkLock(guest);
    this.#running = guest.runtime !== null;
    if (this.#running && !order.online) throw failure("can't migrate running VM without --online");
    if (this.#running && atLeast(platform.release, "9.2")) {
      log.info("conntrack state migration not supported or disabled, active connections might get dropped");
    }
    refuseLocalDevices(guest.config, order.targetNode);
    const storages = [...sourceStorages(this.migration)].map((name) => mapId(order.storages, name));
    const bridges = targetBridges(guest.config, order.bridges);
    await openSource(this.migration, { type: "qemu", storages: new Set(storages), bridges });
    return this.#running;
  }

  async phase1(): Promise<void> {
    const { guest, order, log } = this.migration;
    log.info(`starting migration of VM ${guest.vmid} to node '${order.targetNode}' (${order.endpoint.host})`);
    guest.config.lock = "migrate";
    this.#volumes = await scanVolumes(this.migration);
    this.#correctSizes();
    await this.#copyOffline();
    if (!this.#running) this.migration.task.endWork();
    await this.#sendConfig();
  }

  async phase1Cleanup(): Promise<void> {
    const { guest, log } = this.migration;
    log.info("aborting phase 1 - cleanup resources");
    delete guest.config.lock;
    await this.migration.finishTunnel(true);
  }

  async phase2(): Promise<void> {
    if (this.#live === null) throw new Error("the live transfer was not prepared");
    await this.#live.run();
  }

  async phase2Cleanup(): Promise<void> {
    const { guest, log } = this.migration;
    this.#failedLive = true;
    log.info("aborting phase 2 - cleanup resources");
    log.info("migrate_cancel");
    this.#live?.rollBack();
    delete guest.config.lock;
    await this.migration.openTunnel().command("stop");
    await this.migration.finishTunnel(true);
  }

  async phase3Cleanup(): Promise<void> {
    if (this.#failedLive) return;
    const { guest, order, platform } = this.migration;
    if (this.#live !== null) await this.#live.handOver();
    guest.runtime = null;
    await this.migration.openTunnel().command("unlock");
    await this.migration.finishTunnel(false);
    if (order.remove) removeGuest(platform, guest.vmid);
  }

  async finalCleanup(): Promise<void> {}

  /** The sizes in the configuration follow the volumes, so that the target allocates the right ones. */
  #correctSizes(): void {
    const { guest, platform, log } = this.migration;
    for (const [key, drive] of drivesOf(platform.release, guest.config)) {
      const known = this.#volumes.find(({ volid }) => volid === drive.file);
      if (known === undefined || key === "efidisk0" || key === "tpmstate0") continue;
      const before = parseSize(drive.size ?? "0") ?? 0;
      if (before === known.volume.size) continue;
      const size = formatSize(known.volume.size);
      guest.config[key] = printDrive(platform.release, key, { ...drive, size });
      log.info(`drive '${key}': size of disk '${drive.file}' updated from ${formatSize(before)} to ${size}`);
    }
  }

  async #copyOffline(): Promise<void> {
    const { log, volumeMap } = this.migration;
    const offline = this.#volumes.filter((volume) => !this.#goesLive(volume));
    if (offline.length > 0) log.info("copying local disk images");
    for (const volume of offline) {
      const target = await copyVolume(this.migration, volume);
      volumeMap.set(volume.volid, target);
      log.info(`volume '${volume.volid}' is '${target}' on the target`);
    }
  }

  #goesLive({ origin }: VmVolume): boolean {
    return this.#running && origin === "attached";
  }

  async #sendConfig(): Promise<void> {
    const { guest, volumeMap } = this.migration;
    const mapped = mapBridges(this.migration, mapVolumes(guest.config, volumeMap));
    const drives = await this.#allocateMirrors(mapped);
    const conf = writeConfig({ ...mapped, ...drives });
    await this.migration.openTunnel().command("config", { conf, "firewall-config": guest.firewall });
    if (!this.#running) return;
    const live = this.#volumes.filter((volume) => this.#goesLive(volume));
    this.#live = new LiveTransfer(this.migration, mirrorsOf(this.migration, live, drives));
  }

  async #allocateMirrors(config: ConfigValues): Promise<ConfigValues> {
    const { platform, log, volumeMap } = this.migration;
    const drives: ConfigValues = {};
    for (const [key, value] of Object.entries(config).filter(([name]) => isDriveName(name))) {
      const { file, format: _format, ...drive } = parseDrive(platform.release, key, value);
      if (drive.media === "cdrom") continue;
      const source = this.#volumes.find((volume) => volume.volid === file && this.#goesLive(volume));
      if (source === undefined) continue;
      log.info(`Allocating volume for drive '${key}' on remote storage '${source.targetStorage}'..`);
      const request = { format: source.volume.format, storage: source.targetStorage, drive };
      const made = await this.migration.openTunnel().command("disk", request);
      drives[key] = String(made.drivestr);
      volumeMap.set(source.volid, String(made.volid));
      log.info(`volume '${source.volid}' is '${String(made.volid)}' on the target`);
    }
    return drives;
  }
}

function mirrorsOf({ guest, platform, volumeMap }: Migration, volumes: VmVolume[], drives: ConfigValues): Mirror[] {
  return Object.entries(drives).flatMap(([key, target]) => {
    const file = parseDrive(platform.release, key, guest.config[key] ?? "").file;
    const source = volumes.find(({ volid }) => volid === file);
    const volid = volumeMap.get(file);
    if (source === undefined || volid === undefined) return [];
    const { size: bytes, hasSystem } = source.volume;
    return [{ key, bytes, hasSystem, bandwidth: source.bandwidth, volid, target }];
  });
}
