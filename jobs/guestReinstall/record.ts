// Keeps the inventory's record of the guest in step with the reinstallation: reserved room, new identity, or its loss.
import { forgetGuest } from "../../src/actions/guest/forgetGuest.js";
import { GIB } from "../../src/core/units.js";
import { madeIdentity } from "../guest/identity.js";
import { inFencedTransaction } from "../engine/journal.js";
import type { Step } from "../engine/step.js";
import { installationOf, keptOf, type ReinstallFacts, type ReinstallContext } from "./context.js";

const PROMISE = `
  insert into capacity_reservation (job_id, node_id, storage, memory_mb, disk_bytes)
  select $1, n.id, $4, $5, $6 from node n where n.host_id = $2 and n.name = $3 on conflict do nothing`;

const RECORD = `
  update guest g set node_id = n.id, status = 'stopped', identity = $4, started_at = null, cpu_usage = null,
    memory_used_mb = null, lock = null
  from node n where g.id = $1 and g.gone_at is null and n.host_id = $2 and n.name = $3`;

/** While the guest is away its room is promised to it; the promise ends as a creation's does. */
export async function promiseRoom(context: ReinstallContext): Promise<void> {
  const { services, job } = context;
  const { guest, storage, memoryMb, diskGb } = installationOf(context);
  const values = [job.id, job.hostId, guest.node, storage, memoryMb, Math.round(diskGb * GIB)];
  await inFencedTransaction(services.pool, job, (client) => client.query(PROMISE, values));
}

/** The record stays the same guest's: with its owner, plan and addresses. */
export const record: Step<ReinstallFacts> = {
  name: "record",
  weight: 1,
  async run(context) {
    const { services, job } = context;
    const { guest } = keptOf(context);
    const identity = await madeIdentity(context, guest);
    const values = [job.guestId, job.hostId, guest.node, identity === null ? null : JSON.stringify(identity)];
    await inFencedTransaction(services.pool, job, (client) => client.query(RECORD, values));
    return job.guestId === null ? {} : { guestId: job.guestId };
  },
};

/** Ahead of the next sync. */
export async function recordStart({ services, job }: ReinstallContext): Promise<void> {
  const values = [job.guestId, services.clock.now()];
  await inFencedTransaction(services.pool, job, (client) =>
    client.query(`update guest set status = 'running', started_at = $2 where id = $1 and gone_at is null`, values),
  );
}

/** What is there is the guest, however far it was set up: the next sync takes it for the same one. */
export async function recordDoubt({ services, job }: ReinstallContext): Promise<void> {
  await inFencedTransaction(services.pool, job, (client) =>
    client.query(`update guest set identity = null where id = $1 and gone_at is null`, [job.guestId]),
  );
}

/** The guest is lost: it was destroyed and could not be made again. */
export async function recordLoss({ services, job }: ReinstallContext): Promise<void> {
  const { guestId } = job;
  if (guestId === null) return;
  await inFencedTransaction(services.pool, job, (client) => forgetGuest(client, guestId, services.clock.now()));
}
