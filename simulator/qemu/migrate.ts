// Answers what stands against moving a VM, and moves it inside a cluster.
import type { ApiAnswer } from "../api.js";
import { failure } from "../api.js";
import { checkLock } from "../guests/config.js";
import { answerWithTask } from "../guests/guestTask.js";
import { guestOf, nodeOf } from "../guests/lookup.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { Guest } from "../state/guest.js";
import { splitVolumeId } from "../state/storage.js";
import { findVolume } from "../storage/volumes.js";
import { isOnNode, storageNamed } from "../storage/storages.js";
import { atLeast } from "../version.js";
import type { Drive } from "./drives.js";
import { drivesOf, isCdrom, isCloudInit } from "./drives.js";

type Row = Record<string, unknown>;

/** Keys that tie a VM to its node. */
function localResources(guest: Guest): string[] {
  return Object.entries({ ...guest.config, ...guest.pending })
    .filter(
      ([key, value]) =>
        /^(?:hostpci|virtiofs|parallel)\d+$|^ivshmem$|^host(?:usb|pci)$/.test(key) ||
        (/^usb\d+$/.test(key) && !/spice/i.test(value)) ||
        (/^serial\d+$/.test(key) && value !== "socket"),
    )
    .map(([key]) => key);
}

/** `GET …/migrate`. */
export function migratePreconditions(call: Call): ApiAnswer {
  const guest = guestOf(call, "qemu");
  checkLock(guest);
  const others = [...call.platform.state.nodes.keys()].filter((name) => name !== nodeOf(call));
  const missing = new Map(others.map((name) => [name, unavailableStorages(call, guest, name)]));
  const blocked = [...missing].filter(([, storages]) => storages.length > 0);
  return answer({
    running: guest.runtime === null ? 0 : 1,
    allowed_nodes: others.filter((name) => missing.get(name)?.length === 0),
    not_allowed_nodes: Object.fromEntries(
      blocked.map(([name, storages]) => [name, { unavailable_storages: storages }]),
    ),
    local_disks: localDisks(call, guest),
    local_resources: localResources(guest),
    ...(atLeast(call.platform.release, "8.4") ? { "mapped-resources": [] } : {}),
    ...(atLeast(call.platform.release, "9.2") ? { "mapped-resource-info": {}, "has-dbus-vmstate": 1 } : {}),
  });
}

function unavailableStorages(call: Call, guest: Guest, node: string): string[] {
  const names = drivesOf(call.platform.release, guest.config).map(([, drive]) => splitVolumeId(drive.file)?.storage);
  const used = [...new Set(names.filter((name) => name !== undefined))];
  return used.filter((name) => !isOnNode(storageNamed(call.platform.state, name), node));
}

function localDisks(call: Call, guest: Guest): Row[] {
  return drivesOf(call.platform.release, guest.config).flatMap(([key, drive]) => {
    const name = splitVolumeId(drive.file)?.storage;
    if (name === undefined || storageNamed(call.platform.state, name).shared) return [];
    return [diskRow(call, guest, { key, drive })];
  });
}

function diskRow(call: Call, guest: Guest, entry: { key: string; drive: Drive }): Row {
  const { key, drive } = entry;
  const plain = {
    volid: drive.file,
    size: findVolume(call.platform, drive.file, guest.node)?.size ?? 0,
    cdrom: isCdrom(drive) ? 1 : 0,
    is_unused: 0,
    drivename: key,
    shared: 0,
    replicate: 1,
    is_attached: 1,
    is_vmstate: 0,
    is_tpmstate: key === "tpmstate0" ? 1 : 0,
  };
  return atLeast(call.platform.release, "8.4") ? { ...plain, is_cloudinit: isCloudInit(drive) ? 1 : 0 } : plain;
}

/** `POST …/migrate` → UPID: moves the VM to another member of the cluster. */
export function migrateVm(call: Call): ApiAnswer {
  const { platform, parameters } = call;
  const guest = guestOf(call, "qemu");
  const target = parameters.text("target");
  if (target === nodeOf(call)) throw failure(`target is local node.`);
  if (!platform.state.nodes.has(target)) throw failure(`no such cluster node '${target}'`);
  checkLock(guest);
  if (guest.runtime !== null && !parameters.flag("online")) throw failure("can't migrate running VM without --online");
  const resources = localResources(guest);
  if (resources.length > 0) throw failure(`can't migrate VM which uses local devices: ${resources.join(", ")}`);
  return answerWithTask(call, {
    type: "qmigrate",
    expectedMs: 4000,
    run: (task) =>
      platform.locks.hold(guest, async () => {
        task.log(`starting migration of VM ${guest.vmid} to node '${target}'`);
        guest.config.lock = "migrate";
        try {
          await moveDisks(call, guest, { target, transfer: (bytes) => task.transfer(bytes) });
          await task.sleep(2000);
          guest.node = target;
        } finally {
          if (!task.dead) delete guest.config.lock;
        }
        task.log("migration finished successfully (duration 00:00:04)");
      }),
  });
}

async function moveDisks(
  call: Call,
  guest: Guest,
  move: { target: string; transfer: (bytes: number) => Promise<void> },
): Promise<void> {
  for (const [, drive] of drivesOf(call.platform.release, guest.config)) {
    const volume = findVolume(call.platform, drive.file, guest.node);
    if (volume === null || volume.node === null || volume.vmid !== guest.vmid) continue;
    await move.transfer(volume.size);
    volume.node = move.target;
  }
}
