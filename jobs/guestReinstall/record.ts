// Keeps the inventory's record of the guest in step with the reinstallation: reserved room, new identity, or its loss.
import { forgetGuest } from "../../src/actions/guest/forgetGuest.js";
import { GIB } from "../../src/core/units.js";
import * as capacity from "../../src/store/capacity.js";
import * as guests from "../../src/store/guest/record.js";
import { madeIdentity } from "../guest/identity.js";
import { targetOf } from "../guest/target.js";
import { inFencedTransaction } from "../engine/journal.js";
import type { Step } from "../engine/step.js";
import { keptOf, type ReinstallFacts, type ReinstallContext } from "./context.js";

/** While the guest is away its capacity is reserved for it; the reservation ends as a creation's does. */
export async function promiseRoom(context: ReinstallContext): Promise<void> {
  const { services, job } = context;
  const { guest, storage, memoryMb: kept, diskGb } = keptOf(context);
  const memoryMb = kept ?? (await targetOf(context))?.memoryMb ?? 0;
  const place = { jobId: job.id, hostId: job.hostId ?? -1, node: guest.node, storage };
  const diskBytes = Math.round(diskGb * GIB);
  await inFencedTransaction(services.pool, job, (client) =>
    capacity.keepForGuest(client, { ...place, memoryMb, diskBytes }),
  );
}

/** The record stays the same guest's: with its owner, plan and addresses. */
export const record: Step<ReinstallFacts> = {
  name: "record",
  weight: 1,
  async run(context) {
    const { services, job } = context;
    const { guest } = keptOf(context);
    const identity = await madeIdentity(context, guest);
    const { guestId: id, hostId } = job;
    if (id === null || hostId === null) return {};
    await inFencedTransaction(services.pool, job, (client) =>
      guests.setReinstalled(client, { id, hostId, node: guest.node, identity }),
    );
    return { guestId: id };
  },
};

/** Ahead of the next sync. */
export async function recordStart({ services, job }: ReinstallContext): Promise<void> {
  const { guestId } = job;
  if (guestId === null) return;
  const now = services.clock.now();
  await inFencedTransaction(services.pool, job, (client) => guests.setStarted(client, guestId, now));
}

/** What is there is the guest, however far it was set up: the next sync takes it for the same one. */
export async function recordDoubt({ services, job }: ReinstallContext): Promise<void> {
  const { guestId } = job;
  if (guestId === null) return;
  await inFencedTransaction(services.pool, job, (client) => guests.clearIdentity(client, guestId));
}

/** The guest is lost: it was destroyed and could not be made again. */
export async function recordLoss({ services, job }: ReinstallContext): Promise<void> {
  const { guestId } = job;
  if (guestId === null) return;
  await inFencedTransaction(services.pool, job, (client) => forgetGuest(client, guestId));
}
