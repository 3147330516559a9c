// Keeps the inventory's record of the guest in step with the reinstallation: new identity and disks, or its loss.
import { forgetGuest } from "../guest/forgetGuest.js";
import * as guests from "../../src/store/guest/record.js";
import { madeIdentity } from "../guest/identity.js";
import { inFencedTransaction } from "../engine/journal.js";
import type { Step } from "../engine/step.js";
import { keptOf, type ReinstallFacts, type ReinstallContext } from "./context.js";
import { newDisks } from "./room.js";

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
      guests.setReinstalled(client, { id, hostId, node: guest.node, identity, disks: newDisks(context) }),
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
