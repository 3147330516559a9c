// Finds volumes on the target that have the VMID of a guest which is to come: Proxmox VE would give other names to its own.
import { z } from "zod";
import type { Hypervisor } from "../hypervisor/hypervisor.js";
import type { StorageVolume } from "../hypervisor/observed.js";
import { leftAt } from "../store/job/leftVolume.js";
import { leftVolume, type LeftVolume } from "../job/leftVolume.js";
import type { Connection } from "../store/tables.js";

/** Of a guest: its backups may stay where they are. */
const DISK_CONTENT: ReadonlySet<string> = new Set(["images", "rootdir"]);

/** @returns the disks of any guest, or of none any longer, that lie on these storages of a node. @throws DroverError platform */
export async function disksOn(
  hypervisor: Hypervisor,
  node: string,
  storages: Iterable<string>,
): Promise<readonly StorageVolume[]> {
  const lists = await Promise.all([...new Set(storages)].map((storage) => hypervisor.volumes(node, storage)));
  return lists.flat().filter(({ content }) => DISK_CONTENT.has(content));
}

/** A place for a guest on a host. */
interface Place {
  readonly hostId: number;
  readonly vmid: number;
}

/** @returns which of the volumes earlier transfers to this place left, by their journals; the other ones are not the service's */
export async function ownLeftovers(
  connection: Connection,
  place: Place,
  volumes: readonly StorageVolume[],
): Promise<readonly StorageVolume[]> {
  if (volumes.length === 0) return [];
  const left = await leftAt(connection, place);
  const known = left.flatMap((stored) => z.array(leftVolume).parse(stored));
  return volumes.filter((volume) => known.some((one) => isSame(one, volume)));
}

/** One that somebody has made since under the same name is another: where the storage does not tell, nothing is proved. */
const isSame = (left: LeftVolume, { volid, createdAt }: StorageVolume): boolean =>
  left.volid === volid && left.createdAt !== null && left.createdAt === createdAt;
