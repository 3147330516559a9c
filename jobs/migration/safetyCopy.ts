// Turns the original into the safety copy: unlocked, tagged, without autostart, with a date of deletion.
import { configOrNull } from "../../src/host/locateGuest.js";
import { isSameGuest } from "../../src/host/sameGuest.js";
import { GuestStatus, MigrationStep, PowerAction } from "../../src/core/enums.js";
import { withSafetyCopyTag } from "../../src/core/safetyCopy.js";
import { DroverError } from "../../src/errors/errors.js";
import { Handover } from "../../src/hypervisor/guest.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import * as movedGuests from "../../src/store/guest/moved.js";
import type { Step } from "../engine/step.js";
import { repoint } from "./records.js";
import { unlockGuest } from "./unlockGuest.js";
import {
  finish,
  inputOf,
  retryEvenRefused,
  sourceGuest,
  sourceHost,
  whileHeld,
  type MigrationFacts,
  type MigrationContext,
} from "./context.js";

const PATIENCE_MS = 60_000;

export const safetyCopy: Step<MigrationFacts> = {
  name: MigrationStep.SAFETY_COPY,
  weight: 3,
  async run(context) {
    const hypervisor = await sourceHost(context);
    await retryEvenRefused(context, PATIENCE_MS, () => mark(context, hypervisor));
    await record(context);
    return {};
  },
};

/** An original that somebody has removed by hand needs no mark, and who has its VMID by now must not get one. */
async function mark(context: MigrationContext, hypervisor: Hypervisor): Promise<void> {
  const guest = sourceGuest(context);
  if (!(await isOriginal(context, hypervisor))) return;
  const config = await unlockGuest(context, { hypervisor, nodeId: inputOf(context).source.nodeId, guest });
  if (config === null) return;
  const { status, handover } = await hypervisor.guestStatus(guest);
  if (handover === Handover.GIVEN) {
    await finish(context, hypervisor, await hypervisor.power(guest, PowerAction.STOP));
  } else if (status === GuestStatus.RUNNING || status === GuestStatus.PAUSED) {
    const original = `the original ${guest.vmid} on ${guest.node}`;
    throw new DroverError("conflict", `${original} runs although the guest has moved: stop it, then retry the move`);
  }
  const tags = withSafetyCopyTag(config.tags, context.services.config.brand);
  await finish(context, hypervisor, await hypervisor.markCopy(guest, config, tags));
}

async function isOriginal(context: MigrationContext, hypervisor: Hypervisor): Promise<boolean> {
  const config = await configOrNull(hypervisor, sourceGuest(context));
  if (config === null) return false;
  const { migrationId, source } = inputOf(context);
  const original = await movedGuests.originalOf(context.services.pool, migrationId);
  return original === null || isSameGuest(hypervisor, { ...original, vmid: source.vmid }, config);
}

/** When re-pointing the records went wrong, it is made up for here: the guest's own row must not become the copy's. */
async function record(context: MigrationContext): Promise<void> {
  const { services } = context;
  const { migrationId } = inputOf(context);
  await whileHeld(context, async (client) => {
    await repoint(context, client);
    const tags = withSafetyCopyTag([], services.config.brand);
    await movedGuests.markSafetyCopy(client, { migrationId, at: services.clock.now(), tags });
  });
}
