// Makes guests from their images, and grows their disks.
import { memoryMb } from "../config/values.js";
import { DroverError } from "../../../errors/errors.js";
import type { GuestAddress } from "../../guest.js";
import type { PlatformSettings } from "../../guestConfig.js";
import { isNew, type Installation, type InstallImage, type KeptShape, type NewShape } from "../../install.js";
import type { Upid } from "../../task.js";
import type { Ask } from "../client.js";
import { figureIn } from "../figures.js";
import { cloneTemplate, createContainer, type ContainerShape } from "./create.js";
import { readConfig, resize } from "../guests.js";
import { containerNetwork } from "./network.js";
import { readActiveTasks } from "../tasks.js";

/** A VM as a full copy of a template, a container from a template file. */
export function install(ask: Ask, installation: Installation): Promise<Upid> {
  const { guest, image, storage, pool, shape, note } = installation;
  const { node, vmid } = guest;
  if (image.kind === "file") {
    const { diskGb, containerRights, access } = installation;
    const made = { node, vmid, storage, pool, diskGb, description: note, template: image.volid };
    return createContainer(ask, { ...made, ...containerRights, ...access, ...containerShape(shape, guest) });
  }
  const name = isNew(shape) ? shape.name : nameIn(shape.settings, "name", guest);
  return cloneTemplate(ask, { template: image, node, vmid, name, storage, pool, description: note });
}

const nameIn = (settings: PlatformSettings, key: string, { vmid }: GuestAddress): string =>
  settings[key] ?? `guest${vmid}`;

function containerShape(shape: NewShape | KeptShape, guest: GuestAddress): ContainerShape {
  if (isNew(shape)) {
    const { name, cores, memoryMb: memory, network } = shape;
    const { nameservers } = network;
    return { hostname: name, cores, memoryMb: memory, network: containerNetwork(network), nameservers };
  }
  const { settings } = shape;
  return {
    hostname: nameIn(settings, "hostname", guest),
    cores: figureIn(settings["cores"], "cores") ?? 1,
    memoryMb: memoryMb(settings),
    network: settings["net0"] ?? null,
    nameservers: [],
  };
}

/** A clone's task carries the template's VMID, a container's its own. */
export async function isInstalling(ask: Ask, guest: GuestAddress, image: InstallImage): Promise<boolean> {
  const { node, vmid } = image.kind === "template" ? image : guest;
  return (await readActiveTasks(ask, node, vmid)).length > 0;
}

/** A disk that has the size, or is larger, stays. Of one without a stated size the platform knows it, and refuses to shrink it. */
export async function growSystemDisk(ask: Ask, guest: GuestAddress, sizeBytes: number): Promise<Upid | null> {
  const { systemDisk: disk } = await readConfig(ask, guest, "current");
  if (disk === null) throw new DroverError("platform", "the template has no disk");
  return (disk.bytes ?? 0) >= sizeBytes ? null : resize(ask, guest, { disk: disk.key, sizeBytes });
}
