// Moves a container: shuts it down if it runs, copies its volumes, and starts it on the target.
import { failure } from "../api.js";
import { checkLock } from "../guests/config.js";
import { newContainerRuntime } from "../lxc/start.js";
import { removeGuest } from "../scenarios/placeGuest.js";
import { mapBridges, mapVolumes, targetBridges } from "./bridges.js";
import { writeConfig } from "./configText.js";
import { copyVolume } from "./copyVolume.js";
import type { CtVolume } from "./ctVolumes.js";
import { mountPoints, scanMountPoints } from "./ctVolumes.js";
import { mapId } from "./idMap.js";
import type { Migration, Procedure } from "./migration.js";
import { openSource } from "./openSource.js";
import { splitVolumeId } from "../state/storage.js";

const shutdownMs = 1000;
const startMs = 900;

/** The phases of a container's migration. */
export class CtMigration implements Procedure {
  readonly #copied: string[] = [];
  #wasRunning = false;
  #configSent = false;

  constructor(private readonly migration: Migration) {}

  async prepare(): Promise<boolean> {
    const { guest, order, log } = this.migration;
    checkLock(guest);
    this.#wasRunning = guest.runtime !== null;
    if (this.#wasRunning && order.online) throw failure("lxc live migration is currently not implemented");
    if (this.#wasRunning && !order.restart)
      throw failure(
        "running container can only be migrated in restart mode at /usr/share/perl5/PVE/LXC/Migrate.pm line 56.",
      );
    const volids = mountPoints(this.migration).map(({ volid }) => volid);
    const storages = volids.map((volid) => mapId(order.storages, splitVolumeId(volid)?.storage ?? ""));
    const bridges = targetBridges(guest.config, order.bridges);
    await openSource(this.migration, { type: "lxc", storages: new Set(storages), bridges });
    if (this.#wasRunning) {
      log.info(`shutdown CT ${guest.vmid}`);
      await this.migration.sleep(Math.min(shutdownMs, order.timeout * 1000));
      guest.runtime = null;
    }
    return false;
  }

  async phase1(): Promise<void> {
    const { guest, order, log } = this.migration;
    log.info(`starting migration of CT ${guest.vmid} to node '${order.targetNode}' (${order.endpoint.host})`);
    guest.config.lock = "migrate";
    for (const volume of await scanMountPoints(this.migration)) await this.#copy(volume);
    this.migration.task.endWork();
    const config = mapBridges(this.migration, mapVolumes(guest.config, this.migration.volumeMap));
    const conf = writeConfig(config);
    await this.migration.openTunnel().command("config", { conf, "firewall-config": guest.firewall });
    this.#configSent = true;
  }

  async phase1Cleanup(): Promise<void> {
    const { log, order, volumeMap } = this.migration;
    log.info("aborting phase 1 - cleanup resources");
    for (const volid of this.#copied) {
      log.error(`found stale volume copy '${volumeMap.get(volid) ?? volid}' on node '${order.targetNode}'`);
    }
    await this.migration.finishTunnel(true);
  }

  async phase2(): Promise<void> {}

  async phase2Cleanup(): Promise<void> {}

  async phase3Cleanup(): Promise<void> {}

  async finalCleanup(): Promise<void> {
    const { log } = this.migration;
    log.info("start final cleanup");
    if (this.#configSent) await this.#settleTarget();
    else await this.#restoreSource();
  }

  async #copy(volume: CtVolume): Promise<void> {
    const { log, volumeMap } = this.migration;
    this.#copied.push(volume.volid);
    try {
      volumeMap.set(volume.volid, await copyVolume(this.migration, volume));
    } catch (error) {
      if (this.migration.task.dead || error === this.migration.task.signal.reason) throw error;
      const words = error instanceof Error ? error.message : String(error);
      throw failure(`storage migration for '${volume.volid}' to storage '${volume.targetStorage}' failed - ${words}`);
    }
    log.info(`volume '${volume.volid}' is '${volumeMap.get(volume.volid) ?? ""}' on the target`);
  }

  async #restoreSource(): Promise<void> {
    const { guest, log, platform } = this.migration;
    delete guest.config.lock;
    if (!this.#wasRunning) return;
    log.info("start container on source node");
    await this.migration.rest(startMs);
    guest.runtime = newContainerRuntime(platform, guest);
  }

  async #settleTarget(): Promise<void> {
    const { guest, log, order, platform } = this.migration;
    await this.migration.openTunnel().command("unlock");
    if (this.#wasRunning) {
      log.info("start container on target node");
      await this.migration.openTunnel().command("start");
      await this.migration.rest(startMs);
    }
    if (order.remove) removeGuest(platform, guest.vmid);
    await this.migration.finishTunnel(false);
  }
}
