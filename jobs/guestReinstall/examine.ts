// Checks, before anything is touched, whether a guest can be reinstalled, and records everything that it keeps.
import { GuestType } from "../../src/core/enums.js";
import { dataSizes, DiskKind, type Disk } from "../../src/core/inventory/disk.js";
import { parseTemplateFile } from "../../src/core/guest/reference.js";
import { GIB } from "../../src/core/units.js";
import type { LocatedGuest } from "../../src/host/locateGuest.js";
import { requireQuorum } from "../../src/host/quorum.js";
import { DroverError } from "../../src/errors/errors.js";
import type { GuestAddress } from "../../src/hypervisor/guest.js";
import type { GuestConfig } from "../../src/hypervisor/guestConfig.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import { sizesOf, withSizes } from "../../src/hypervisor/volumeSizes.js";
import { isPlatformError, PlatformReason } from "../../src/hypervisor/platformError.js";
import { DESTROY, requireRemovable } from "../guest/removal.js";
import { locateTarget } from "../guest/target.js";
import { wasBegun, type Step } from "../engine/step.js";
import { examineGuards } from "./guard.js";
import { reserveFurtherRoom } from "./room.js";
import { imageOf, keptOf, type KeptGuest, type ReinstallFacts, type ReinstallContext } from "./context.js";

export const examine: Step<ReinstallFacts> = {
  name: "examine",
  weight: 1,
  async run(context) {
    const located = await locateTarget(context);
    if (located === null) throw new DroverError("conflict", "the guest is no longer on the platform");
    requireRemovable(located);
    requireReplaceable(located);
    const hypervisor = await context.hypervisor();
    await requireQuorum(hypervisor);
    await requireRights(hypervisor, located);
    await requireFree(hypervisor, located.guest);
    const kept = await keep(hypervisor, located.guest);
    const furtherDiskBytes = await requireImage(context, hypervisor, kept);
    await context.remember({ kept, furtherDiskBytes });
    await reserveFurtherRoom(context, furtherDiskBytes);
    return {};
  },
};

/** Looks again at a guest that an earlier version examined, which recorded less: once it is gone nobody can tell. */
export async function completeKept(context: ReinstallContext): Promise<void> {
  const { guest, guards } = keptOf(context);
  if (guards !== null || wasBegun(context.facts, DESTROY)) return;
  await context.remember({ kept: await keep(await context.hypervisor(), guest) });
}

/** What the new guest could not be given, since only root@pam may, would be lost without a word. */
function requireReplaceable({ config: { traits } }: LocatedGuest): void {
  const lost = [...traits.pciDevices, ...traits.usbDevices, ...traits.containerDevices, ...traits.rootOnlySettings];
  if (traits.rawLxcKeys.length > 0) lost.push("raw lxc keys");
  if (lost.length === 0) return;
  throw new DroverError("conflict", `the guest has settings that would be lost: ${lost.join(", ")}`);
}

/** Some of what is kept only a connection with a further right may give to the new guest. */
async function requireRights(hypervisor: Hypervisor, { guest, config }: LocatedGuest): Promise<void> {
  const restricted = await hypervisor.restricted(guest, config);
  if (restricted === null) return;
  const { reason, right } = restricted;
  throw new DroverError("conflict", `the guest ${reason}, which only a connection with ${right} may give to a new one`);
}

/** The platform would forget what looks after the guest together with it: then nobody would look after the new one. */
async function requireFree(hypervisor: Hypervisor, guest: GuestAddress): Promise<void> {
  const [isManaged, isReplicated] = await Promise.all([
    hypervisor.isHighlyAvailable(guest),
    hypervisor.isReplicated(guest),
  ]);
  if (isManaged) throw new DroverError("conflict", "the guest is managed by high availability");
  if (isReplicated) throw new DroverError("conflict", "the guest has a replication job");
}

/** Changes that wait for a restart count: this is one. */
async function keep(hypervisor: Hypervisor, guest: GuestAddress): Promise<KeptGuest> {
  const config = await hypervisor.guestConfig(guest, "pending");
  const disk = onlyDisk(config);
  const bytes = await sizeOf(hypervisor, guest.node, disk);
  if (bytes === null) throw unsized("guest", disk);
  return {
    guest,
    storage: disk.storage ?? "",
    pool: await hypervisor.pool(guest),
    diskGb: bytes / GIB,
    memoryMb: config.memoryMb,
    settings: config.keptSettings,
    guards: { containerRights: config.containerRights, ...(await examineGuards(hypervisor, guest)) },
  };
}

/** Data on further disks must not be lost with the system. */
function onlyDisk({ disks, systemDisk: system }: GuestConfig): Disk {
  const ofData = disks.filter(({ kind }) => kind === DiskKind.DATA || kind === DiskKind.HOST_PATH);
  const others = ofData.filter(({ key }) => key !== system?.key);
  if (others.length > 0) {
    const names = others.map(({ key }) => key).join(", ");
    throw new DroverError("conflict", `the guest has further disks that would be lost: ${names}`);
  }
  if (system?.storage) return system;
  throw new DroverError("conflict", "the guest has no disk on a storage");
}

/** Null: neither the configuration nor the storage tells. */
async function sizeOf(hypervisor: Hypervisor, node: string, disk: Disk): Promise<number | null> {
  const [sized] = await withSizes(sizesOf(hypervisor), node, [disk]);
  return sized?.bytes ?? null;
}

const unsized = (whose: "guest" | "template", { key }: Pick<Disk, "key">): DroverError =>
  new DroverError(
    "conflict",
    `neither the configuration nor the storage states the size of the ${whose}'s disk ${key}`,
  );

/**
 * What would be missing only after the old guest is gone is looked for before.
 * @returns bytes of the disks that the image brings besides the system disk: those of a template; a file has none
 */
async function requireImage(
  context: ReinstallContext,
  hypervisor: Hypervisor,
  { guest, diskGb }: KeptGuest,
): Promise<number> {
  const image = imageOf(context);
  if (image.kind === "file") {
    await requireFile(hypervisor, guest.node, image.volid);
    return 0;
  }
  // Whether a node has the template was decided for the node that the guest was on then.
  if (guest.node !== context.job.node) throw new DroverError("conflict", `the guest has moved to node ${guest.node}`);
  const template = { type: GuestType.QEMU, node: image.node, vmid: image.vmid };
  const { isTemplate, disks, systemDisk } = await hypervisor.guestConfig(template);
  if (!isTemplate) throw new DroverError("conflict", `guest ${image.vmid} is no template`);
  if (systemDisk === null) throw new DroverError("conflict", `template ${image.vmid} has no disk`);
  const sized = await withSizes(sizesOf(hypervisor), image.node, disks, [DiskKind.DATA]);
  const { bytes, systemBytes, unsized: unknown } = dataSizes(sized, systemDisk);
  const [key = systemDisk.key] = unknown;
  if (unknown.length > 0 || systemBytes === null) throw unsized("template", { key });
  if (systemBytes > diskGb * GIB) throw new DroverError("conflict", "the template's disk is larger than the guest's");
  return bytes - systemBytes;
}

async function requireFile(hypervisor: Hypervisor, node: string, volid: string): Promise<void> {
  const missing = new DroverError("conflict", `template file ${volid} is not on node ${node}`);
  const storage = parseTemplateFile(volid)?.storage;
  if (storage === undefined) throw missing;
  try {
    const volumes = await hypervisor.volumes(node, storage, "vztmpl");
    if (volumes.some((volume) => volume.volid === volid)) return;
  } catch (error) {
    if (!isPlatformError(error, PlatformReason.NOT_FOUND)) throw error;
  }
  throw missing;
}
