// Makes sure that nothing on the target has the VMID when a transfer begins: the platform would give other names to its volumes.
import { disksOn, ownLeftovers } from "../../src/migration/targetVolumes.js";
import { configOrNull } from "../../src/host/locateGuest.js";
import { DroverError } from "../../src/errors/errors.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import type { StorageVolume } from "../../src/hypervisor/observed.js";
import { isPlatformError, platformError, PlatformReason } from "../../src/hypervisor/platformError.js";
import { finish, inputOf, targetGuest, targetHost, type MigrationContext } from "./context.js";

/**
 * Removes what earlier attempts left, as far as their journals prove it. May be repeated, until the transfer is ordered.
 * @throws DroverError conflict `TARGET_VOLUMES_LEFT`, with the names of what is not theirs; platform
 */
export async function clearTarget(context: MigrationContext): Promise<void> {
  const hypervisor = await targetHost(context);
  const { hostId, vmid } = inputOf(context).target;
  const found = await volumesThere(context, hypervisor);
  if (found.length === 0) return;
  const own = await ownLeftovers(context.services.pool, { hostId, vmid }, found);
  // Under the VMID of a guest they may be that guest's by now.
  const isFree = own.length > 0 && (await configOrNull(hypervisor, targetGuest(context))) === null;
  if (isFree) await removeVolumes(context, hypervisor, own);
  const left = isFree ? await volumesThere(context, hypervisor) : found;
  if (left.length === 0) return;
  const message = `volumes on ${targetGuest(context).node} have the VMID ${vmid} already: ${namesOf(left)}`;
  throw new DroverError("conflict", message, { reason: "TARGET_VOLUMES_LEFT" });
}

/** @returns the volumes with the guest's VMID on the storages that the transfer writes to. @throws DroverError platform */
export async function volumesThere(
  context: MigrationContext,
  hypervisor: Hypervisor,
): Promise<readonly StorageVolume[]> {
  const { node, vmid } = targetGuest(context);
  const storages = inputOf(context).storages.map(({ target }) => target);
  return (await disksOn(hypervisor, node, storages)).filter((volume) => volume.vmid === vmid);
}

/** @throws DroverError platform */
export async function removeVolumes(
  context: MigrationContext,
  hypervisor: Hypervisor,
  volumes: readonly Pick<StorageVolume, "volid">[],
): Promise<void> {
  const { node } = targetGuest(context);
  for (const { volid } of volumes) {
    try {
      await finish(context, hypervisor, await hypervisor.deleteVolume(node, volid));
    } catch (error) {
      if (!isPlatformError(error, PlatformReason.FORBIDDEN, PlatformReason.REFUSED)) throw error;
      const message = `${volid} on ${node} could not be removed: ${error.message}`;
      throw platformError(PlatformReason.REFUSED, message, { place: error.place });
    }
  }
}

export const namesOf = (volumes: readonly StorageVolume[]): string => volumes.map(({ volid }) => volid).join(", ");
