// Updates the records: the guest belongs to the target now, with owner, plan and address; its original gets a row of its own.
import type { PoolClient } from "pg";
import { GuestStatus, IpPlanKind, MigrationStep } from "../../src/core/enums.js";
import type { Step } from "../engine/step.js";
import {
  inputOf,
  patiently,
  targetGuest,
  targetHost,
  targetOf,
  whileHeld,
  type MigrationFacts,
  type MigrationContext,
} from "./context.js";

const PATIENCE_MS = 20_000;

export const records: Step<MigrationFacts> = {
  name: MigrationStep.RECORDS,
  weight: 1,
  onError: "warn",
  async run(context) {
    const [seen] = await Promise.allSettled([patiently(context, PATIENCE_MS, () => observe(context))]);
    context.signal.throwIfAborted();
    await whileHeld(context, (client) => repoint(context, client, seen.status === "fulfilled" ? seen.value : UNSEEN));
    // The guest is where it is whether or not its host answers now: only how it looks there is missing.
    if (seen.status === "rejected") throw seen.reason;
    return {};
  },
};

interface Seen {
  readonly status: string;
  readonly addresses: readonly string[];
}

const UNSEEN: Seen = { status: GuestStatus.UNKNOWN, addresses: [] };

async function observe(context: MigrationContext): Promise<Seen> {
  const hypervisor = await targetHost(context);
  const guest = targetGuest(context);
  const [{ status }, { addresses }] = await Promise.all([hypervisor.guestStatus(guest), hypervisor.guestConfig(guest)]);
  return { status, addresses: addresses.map(({ address }) => address) };
}

// Without a mark of its own a guest was known by what the source's tasks did to its VMID: the target's tell of others.
const MOVE_ROW = `
  update guest g set host_id = $2, node_id = $3, vmid = $4, status = $5, ip_addresses = $6, lock = null,
    config_read_at = null, unseen_since = null, gone_at = null,
    identity = case when g.identity #>> '{marks,uuid}' is not null then g.identity end
  from (select id, identity from guest where id = $1 and host_id = $7 and vmid = $8 for no key update) as before
  where g.id = before.id returning before.identity`;

const COPY_ROW = `
  with copy as (
    insert into guest (host_id, node_id, type, vmid, name, status, tags, cores, memory_mb, disk_bytes, identity,
      lock, safety_copy)
    select $3, $4, type, $5, name, 'stopped', tags, cores, memory_mb, disk_bytes, $6, 'migrate', true
    from guest where id = $2 returning id
  )
  update migration set safety_copy_guest_id = copy.id from copy where migration.id = $1`;

/**
 * The guest keeps its id, and with it whatever refers to it. A second run finds it moved and changes nothing.
 * @param seen how it looks on the target; left out: not known
 */
export async function repoint(context: MigrationContext, client: PoolClient, seen: Seen = UNSEEN): Promise<void> {
  const { migrationId, guestId, source } = inputOf(context);
  const target = targetOf(context);
  await forgetOthers(client, guestId, target);
  const there = [target.hostId, target.nodeId, target.vmid, seen.status, seen.addresses];
  const { rows } = await client.query<{ identity: unknown }>(MOVE_ROW, [guestId, ...there, source.hostId, source.vmid]);
  const [original] = rows;
  if (original !== undefined) {
    const copy = [source.hostId, source.nodeId, source.vmid, original.identity];
    await client.query(COPY_ROW, [migrationId, guestId, ...copy]);
  }
  await repointAddress(context, client);
}

/** Nobody but the guest can have the VMID now; what is on record under it is no more. */
async function forgetOthers(
  client: PoolClient,
  guestId: number,
  { hostId, vmid }: { readonly hostId: number; readonly vmid: number },
): Promise<void> {
  await client.query(
    `update guest set gone_at = service_now() where host_id = $1 and vmid = $2 and gone_at is null and id <> $3`,
    [hostId, vmid, guestId],
  );
}

/** The address on the source is given back: its copy will never run again. */
async function repointAddress(context: MigrationContext, client: PoolClient): Promise<void> {
  const { guestId, ipPlan } = inputOf(context);
  if (ipPlan.kind === IpPlanKind.UNTOUCHED || ipPlan.newAddress === null) return;
  await client.query(`delete from ip_address where guest_id = $1 and not (zone_id = $2 and address = $3)`, [
    guestId,
    ipPlan.zoneId,
    ipPlan.newAddress,
  ]);
  await client.query(`update ip_address set guest_id = $1 where job_id = $2 and zone_id = $3`, [
    guestId,
    context.job.id,
    ipPlan.zoneId,
  ]);
}
