// Keeps the memory of a running VM in a volume beside its snapshot, and gives it back.
import type { Platform } from "../platform.js";
import { memoryBytes } from "../qemu/sizing.js";
import type { Guest, Runtime, Snapshot, SnapshotMemory } from "../state/guest.js";
import { splitVolumeId, volumeId } from "../state/storage.js";
import { allocate, findVolume, free } from "../storage/volumes.js";
import type { Worker } from "../tasks/worker.js";

const overheadBytes = 500 * 1024 ** 2;
const mib = 1024 ** 2;

/** Writes the memory to a volume of its own on the storage meant for it. */
export async function saveMemory(
  platform: Platform,
  guest: Guest,
  { name, task }: { name: string; task: Worker },
): Promise<SnapshotMemory> {
  const log = (line: string): void => task.log(line);
  const storage = guest.config.vmstatestorage ?? storageOfFirstDisk(guest);
  log(`saving VM state and RAM using storage '${storage}'`);
  const place = { storage, node: guest.node, vmid: guest.vmid };
  const bytes = memoryBytes(guest.config) * 2 + overheadBytes;
  const stateName = `vm-${guest.vmid}-state-${name}`;
  const isFile = platform.state.storages.get(storage)?.type === "dir";
  const volume = allocate(
    platform,
    { ...place, format: "raw", bytes, name: isFile ? `${stateName}.raw` : stateName },
    log,
  );
  const used = guest.runtime?.memoryBytes ?? 0;
  await task.transfer(used);
  volume.used = used;
  log(`completed saving the VM state in 1s, saved ${(used / mib).toFixed(2)} MiB`);
  return { volume: volumeId(volume), runtime: { ...requireRuntime(guest) } };
}

function requireRuntime({ runtime, vmid }: Guest): Runtime {
  if (runtime === null) throw new Error(`VM ${vmid} does not run, so it has no memory to keep`);
  return runtime;
}

function storageOfFirstDisk({ config }: Guest): string {
  const disk = Object.entries(config).find(([key]) => /^(?:ide|sata|scsi|virtio)\d+$/.test(key))?.[1];
  return splitVolumeId(disk ?? "")?.storage ?? "local";
}

/** The state that goes with a snapshot that is removed. */
export function freeMemory(platform: Platform, guest: Guest, { memory }: Snapshot): void {
  const volume = memory === null ? null : findVolume(platform, memory.volume, guest.node);
  if (volume !== null) free(platform, volume, () => {});
}
