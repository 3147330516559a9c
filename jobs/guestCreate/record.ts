// Records the new guest, with its owner, plan and address, as soon as the platform has it.
import { GIB } from "../../src/core/units.js";
import { DroverError } from "../../src/errors/errors.js";
import * as addresses from "../../src/store/address.js";
import * as createdGuests from "../../src/store/guest/created.js";
import * as guests from "../../src/store/guest/record.js";
import { madeIdentity } from "../guest/identity.js";
import { inFencedTransaction, lost } from "../engine/journal.js";
import type { Step } from "../engine/step.js";
import { guestOf, inputOf, type CreateFacts, type CreateContext } from "./context.js";

export const record: Step<CreateFacts> = {
  name: "record",
  weight: 1,
  brief: true,
  async run(context) {
    const guest = guestOf(context);
    const { node, type, vmid } = guest;
    const identity = await madeIdentity(context, guest);
    const { name, cores, memoryMb, diskGb, furtherDiskBytes = 0, ownerId, planId } = inputOf(context);
    const { services, job } = context;
    const systemDiskBytes = diskGb * GIB;
    const size = { cores, memoryMb, systemDiskBytes, diskBytes: systemDiskBytes + furtherDiskBytes };
    const recorded = await createdGuests.record(services.pool, {
      id: job.id,
      leaseEpoch: job.leaseEpoch,
      hostId: job.hostId ?? -1,
      node,
      type,
      vmid,
      name,
      ...size,
      ownerId,
      planId,
      identity: identity === null ? null : JSON.stringify(identity),
    });
    if (!recorded.held) throw lost(job);
    if (recorded.id === null) throw new DroverError("notFound", `node ${node} is no longer known`);
    return { guestId: recorded.id };
  },
};

/** Ahead of the next sync. A worker that has lost its lease records nothing. */
export async function recordStart({ services, job, facts }: CreateContext): Promise<void> {
  if (facts.guestId === undefined) return;
  const { id, leaseEpoch } = job;
  await createdGuests.recordStart(services.pool, { id, leaseEpoch, guestId: facts.guestId, at: services.clock.now() });
}

/** Takes the record back; the address stays with the job, whose end gives it back. */
export async function takeRecordBack({ services, job, facts }: CreateContext): Promise<void> {
  await inFencedTransaction(services.pool, job, async (client) => {
    await addresses.takeFromGuest(client, job.id);
    if (facts.guestId !== undefined) await guests.markGone(client, [facts.guestId]);
  });
}
