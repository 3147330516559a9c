// Records the new guest, with its owner, plan and address, as soon as the platform has it.
import { GIB } from "../../src/core/units.js";
import { DroverError } from "../../src/errors/errors.js";
import * as addresses from "../../src/store/address.js";
import * as guests from "../../src/store/guest/record.js";
import { madeIdentity } from "../guest/identity.js";
import { HOLD } from "../../src/store/job/job.js";
import { inFencedTransaction, lost } from "../engine/journal.js";
import type { Step } from "../engine/step.js";
import { guestOf, inputOf, type CreateFacts, type CreateContext } from "./context.js";

// A sync may have found the guest first: then the row is completed, not doubled. An owner who is being deleted is waited for.
const RECORD = `
  with held as (${HOLD}), recorded as (
    insert into guest (host_id, node_id, type, vmid, name, status, cores, memory_mb, disk_bytes, owner_id, plan_id,
      identity)
    select $3, n.id, $5, $6, $7, 'stopped', $8, $9, $10,
      (select id from user_account where id = $11 for key share), (select id from plan where id = $12), $13
    from held, node n where n.host_id = $3 and n.name = $4
    on conflict (host_id, vmid) where gone_at is null do update set
      node_id = excluded.node_id, name = excluded.name, cores = excluded.cores, memory_mb = excluded.memory_mb,
      disk_bytes = excluded.disk_bytes, owner_id = excluded.owner_id, plan_id = excluded.plan_id,
      identity = excluded.identity
    returning id
  ),
  addressed as (update ip_address a set guest_id = recorded.id from recorded where a.job_id = $1),
  linked as (
    update job set guest_id = recorded.id, facts = facts || jsonb_build_object('guestId', recorded.id)
    from recorded where job.id = $1)
  select exists (select from held) as held, (select id from recorded) as id`;

const RECORD_START = `
  with held as (${HOLD})
  update guest set status = 'running', started_at = $4 from held where guest.id = $3 and gone_at is null`;

export const record: Step<CreateFacts> = {
  name: "record",
  weight: 1,
  brief: true,
  async run(context) {
    const guest = guestOf(context);
    const { node, type, vmid } = guest;
    const identity = await madeIdentity(context, guest);
    const { name, cores, memoryMb, diskGb, ownerId, planId } = inputOf(context);
    const size = [cores, memoryMb, diskGb * GIB];
    const guestId = await write(context, [
      context.job.hostId,
      node,
      type,
      vmid,
      name,
      ...size,
      ownerId,
      planId,
      identity === null ? null : JSON.stringify(identity),
    ]);
    if (guestId === null) throw new DroverError("notFound", `node ${node} is no longer known`);
    return { guestId };
  },
};

/** @returns the guest's id; null when its node is gone @throws Fenced */
async function write({ services, job }: CreateContext, values: readonly unknown[]): Promise<number | null> {
  const statement = { name: "creation-record", text: RECORD, values: [job.id, job.leaseEpoch, ...values] };
  const { rows } = await services.pool.query<{ held: boolean; id: number | null }>(statement);
  if (rows[0]?.held !== true) throw lost(job);
  return rows[0].id;
}

/** Ahead of the next sync. What a worker that was fenced off says comes to nothing. */
export async function recordStart({ services, job, facts }: CreateContext): Promise<void> {
  const values = [job.id, job.leaseEpoch, facts.guestId, services.clock.now()];
  await services.pool.query({ name: "creation-started", text: RECORD_START, values });
}

/** Takes the record back; the address stays with the job, whose end gives it back. */
export async function takeRecordBack({ services, job, facts }: CreateContext): Promise<void> {
  await inFencedTransaction(services.pool, job, async (client) => {
    await addresses.takeFromGuest(client, job.id);
    if (facts.guestId !== undefined) await guests.markGone(client, [facts.guestId]);
  });
}
