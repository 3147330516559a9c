// Installs a guest on its host: a clone of a template, or a container from a template file.
import { pauseUnlessAborted } from "../../src/concurrency/pause.js";
import { configOrNull } from "../../src/host/locateGuest.js";
import { DroverError } from "../../src/errors/errors.js";
import type { GuestConfig } from "../../src/hypervisor/guestConfig.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import type { Installation } from "../../src/hypervisor/install.js";
import { makeEffect } from "../engine/effect.js";
import type { StepContext } from "../engine/step.js";
import { inTurn } from "./cloneTurn.js";
import { isOwn } from "./installation.js";

/** Why a creation fails whose VMID another guest has. */
export const VMID_TAKEN = "VMID_TAKEN";

/** The refusal of a VMID that another guest has. */
export const vmidExists = (vmid: number): DroverError =>
  new DroverError("conflict", `VMID ${vmid} already exists on the host`, { reason: VMID_TAKEN });

/** The effect's name in the journals of all releases. */
export const INSTALL = "create";
const LOOK_AGAIN_MS = 1_000;
/** A guest that stays locked although no task works on it is given up after so many looks. */
const IDLE_LOOKS = 3;

/** Installs the guest exactly once, in its turn. @throws DroverError with the platform's words */
export async function installGuest(context: StepContext, installation: Installation): Promise<void> {
  const hypervisor = await context.hypervisor();
  await inTurn(context, installation.image, () =>
    makeEffect(context, {
      name: INSTALL,
      start: () => hypervisor.install(installation),
      find: async () => ((await findInstalled(context, hypervisor, installation)) ? { upid: null } : null),
    }),
  );
}

/**
 * Whether an earlier attempt of this job installed the guest; waits while the platform is still at it.
 * @throws DroverError when the VMID belongs to somebody else, or the guest was left half made
 */
export async function findInstalled(
  context: StepContext,
  hypervisor: Hypervisor,
  installation: Installation,
): Promise<boolean> {
  let idleLooks = 0;
  for (;;) {
    const config = await configOrNull(hypervisor, installation.guest);
    if (config === null) return false;
    if (config.lock === null) return requireOwn(context, config, installation.guest.vmid);
    idleLooks = (await hypervisor.isInstalling(installation.guest, installation.image)) ? 0 : idleLooks + 1;
    if (idleLooks >= IDLE_LOOKS) throw new DroverError("platform", "the platform left the guest half made and locked");
    await pauseUnlessAborted(context, LOOK_AGAIN_MS);
  }
}

function requireOwn(context: StepContext, config: GuestConfig, vmid: number): true {
  if (isOwn(context, config)) return true;
  throw vmidExists(vmid);
}
