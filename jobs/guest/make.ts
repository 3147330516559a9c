// Makes the platform object: a clone of a template, or a container from a template file.
import { setTimeout as delay } from "node:timers/promises";
import { configOrNull } from "../../src/actions/guest/locateGuest.js";
import { GuestType } from "../../src/core/enums.js";
import { DroverError } from "../../src/errors/errors.js";
import type { ContainerRequest } from "../../src/hypervisor/guest.js";
import type { GuestConfig } from "../../src/hypervisor/guestConfig.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import type { Upid } from "../../src/hypervisor/task.js";
import { makeEffect } from "../engine/effect.js";
import type { StepContext } from "../engine/step.js";
import { isOwn, markOf, type Installation } from "./installation.js";

/** The effect's name in the journal. */
export const MAKE = "create";
const LOOK_AGAIN_MS = 1_000;
/** A guest that stays locked although no task works on it is given up after so many looks. */
const IDLE_LOOKS = 3;

/** Makes the guest exactly once. @throws DroverError with the platform's words */
export async function makeGuest(context: StepContext, installation: Installation): Promise<void> {
  const hypervisor = await context.hypervisor();
  await makeEffect(context, {
    name: MAKE,
    start: () => start(context, hypervisor, installation),
    find: async () => ((await findMade(context, hypervisor, installation)) ? { upid: null } : null),
  });
}

function start(context: StepContext, hypervisor: Hypervisor, installation: Installation): Promise<Upid> {
  const { guest, image, name, storage, pool } = installation;
  if (image.kind === "file") return hypervisor.createContainer(containerRequest(context, installation, image.volid));
  const template = { type: GuestType.QEMU, node: image.node, vmid: image.vmid };
  return hypervisor.clone({ ...guest, template, name, storage, pool, description: markOf(context) });
}

function containerRequest(context: StepContext, installation: Installation, template: string): ContainerRequest {
  const { guest, name, storage, pool, diskGb, cores, memoryMb, containerNetwork, nameservers } = installation;
  const { containerRights, secrets } = installation;
  return {
    node: guest.node,
    vmid: guest.vmid,
    hostname: name,
    template,
    storage,
    pool,
    diskGb,
    cores,
    memoryMb,
    network: containerNetwork,
    nameservers,
    ...containerRights,
    ...secrets,
    start: false,
    onBoot: true,
    description: markOf(context),
  };
}

/**
 * Whether an earlier attempt of this job made the guest; waits while the platform is still making it.
 * @throws DroverError when the VMID belongs to somebody else, or the guest was left half made
 */
async function findMade(context: StepContext, hypervisor: Hypervisor, installation: Installation): Promise<boolean> {
  let idleLooks = 0;
  for (;;) {
    const config = await configOrNull(hypervisor, installation.guest);
    if (config === null) return false;
    if (config.lock === null) return requireOwn(context, config);
    idleLooks = (await isBeingMade(hypervisor, installation)) ? 0 : idleLooks + 1;
    if (idleLooks >= IDLE_LOOKS) throw new DroverError("platform", "the platform left the guest half made and locked");
    await delay(LOOK_AGAIN_MS, undefined, { signal: context.signal });
  }
}

function requireOwn(context: StepContext, config: GuestConfig): true {
  if (isOwn(context, config)) return true;
  throw new DroverError("conflict", `VMID ${context.job.vmid} already exists on the host`, { reason: "VMID_TAKEN" });
}

/** A clone's task carries the template's VMID, a container's its own. */
async function isBeingMade(hypervisor: Hypervisor, { guest, image }: Installation): Promise<boolean> {
  const { node, vmid } = image.kind === "template" ? image : guest;
  return (await hypervisor.activeTasks(node, vmid)).length > 0;
}
