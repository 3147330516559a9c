// Finds a place for an accepted guest and reserves it: node, storage, VMID and address in one transaction with the job.
import type { PoolClient } from "pg";
import type { Scope } from "../core/access/scope.js";
import { JobKind } from "../core/enums.js";
import { GIB } from "../core/units.js";
import { describeDropped, place, placeBest, type RankedNode } from "../core/placement/place.js";
import type { Context } from "../context.js";
import { inTransaction } from "../db/transaction.js";
import { DroverError } from "../errors.js";
import { guestLock } from "./guestLock.js";
import { insertJob } from "./insertJob.js";
import type { AcceptedGuest, QueuedGuest } from "./createGuest.js";
import type { GuestCreateInput, GuestSecrets } from "./guestCreateInput.js";
import { loadSnapshot } from "./placementSnapshot.js";
import { placementContext } from "./placementContext.js";
import { takeAddress, type TakenAddress } from "./takeAddress.js";
import { takeVmid } from "./takeVmid.js";

/** Between a choice across hosts and its reservation another request may take the room: then the next best is tried. */
const CHOICES = 8;

/** @throws DroverError conflict */
export async function reserveGuest(context: Context, guest: AcceptedGuest, scope: Scope): Promise<QueuedGuest> {
  for (let choice = 1; choice <= CHOICES; choice++) {
    const hostId = guest.hostId ?? (await bestHost(context, guest, scope));
    const queued = await inTransaction(context.pool, (client) =>
      reserveOnHost(context, client, { guest, hostId, last: guest.hostId !== null || choice === CHOICES }),
    );
    if (queued !== null) return queued;
  }
  throw new DroverError("conflict", "no node has room: others took it at the same time", {
    reason: "NO_NODE_HAS_ROOM",
  });
}

/** The host of the best node in scope, looked at without a lock. */
async function bestHost(context: Context, guest: AcceptedGuest, scope: Scope): Promise<number> {
  const { snapshot, settings } = await loadSnapshot(context.pool, context.clock, { scope });
  const asker = { viewer: context.viewer, database: context.pool };
  const asked = await placementContext(asker, settings, { ...guest, scope });
  const best = placeBest(snapshot, guest.size, asked);
  if (best !== null) return best.hostId;
  throw noRoom(describeDropped(place(snapshot, guest.size, asked).dropped));
}

const noRoom = (message: string): DroverError => new DroverError("conflict", message, { reason: "NO_NODE_HAS_ROOM" });

interface HostReservation {
  readonly guest: AcceptedGuest;
  readonly hostId: number;
  /** Whether a host without room is a refusal; else null is returned and another is chosen. */
  readonly last: boolean;
}

async function reserveOnHost(
  context: Context,
  client: PoolClient,
  { guest, hostId, last }: HostReservation,
): Promise<QueuedGuest | null> {
  // Reservations of one host are made one after the other: what is promised here is seen by the next.
  await client.query(`select pg_advisory_xact_lock(hashtext('reservations'), $1)`, [hostId]);
  const { snapshot, settings } = await loadSnapshot(client, context.clock, { scope: [hostId] });
  const asker = { viewer: context.viewer, database: client };
  const asked = await placementContext(asker, settings, { ...guest, scope: [hostId] });
  const { best, dropped } = place(snapshot, guest.size, asked);
  if (best === null) {
    if (last) throw noRoom(describeDropped(dropped));
    return null;
  }
  const vmid = await takeVmid(client, hostId, guest.vmid);
  const secrets: GuestSecrets = { password: guest.password, sshKeys: [...guest.sshKeys] };
  const { node, storage, explanation } = best;
  const jobId = await insertJob(context, client, {
    kind: JobKind.GUEST_CREATE,
    hostId,
    node,
    vmid,
    guestId: null,
    secrets,
  });
  await client.query(
    `with lock as (insert into resource_lock (key, job_id) values ($1, $2)),
       vmid as (insert into vmid_reservation (host_id, vmid, job_id) values ($3, $4, $2))
     insert into capacity_reservation (job_id, node_id, storage, memory_mb, disk_bytes)
     select $2, n.id, $6, $7, $8 from node n where n.host_id = $3 and n.name = $5`,
    [
      guestLock(hostId, vmid),
      jobId,
      hostId,
      vmid,
      best.node,
      best.storage,
      guest.size.memoryMb,
      guest.size.diskGb * GIB,
    ],
  );
  const address = guest.facts.zone === null ? null : await takeAddress(client, guest.facts.zone, jobId);
  await storeInput(client, jobId, jobInput(guest, best, address));
  return { queued: true, jobId, vmid, placement: { hostId, node, storage, explanation } };
}

async function storeInput(client: PoolClient, jobId: number, input: GuestCreateInput): Promise<void> {
  await client.query(`update job set input = $2 where id = $1`, [jobId, JSON.stringify(input)]);
}

function jobInput(guest: AcceptedGuest, best: RankedNode, address: TakenAddress | null): GuestCreateInput {
  const { template, zone } = guest.facts;
  return {
    type: guest.type,
    name: guest.name,
    cores: guest.size.cores,
    memoryMb: guest.size.memoryMb,
    diskGb: guest.size.diskGb,
    auto: guest.node === null,
    storage: best.storage,
    image:
      template === null
        ? { kind: "file", volid: guest.volid ?? "" }
        : { kind: "template", templateId: template.id, node: template.node, vmid: template.vmid },
    network: {
      bridge: zone?.bridge ?? null,
      vlan: zone?.vlan ?? null,
      nameservers: [...(zone?.nameservers ?? [])],
      address: address && { cidr: address.cidr, gateway: zone?.gateway ?? null, family: zone?.family ?? 4 },
    },
    ownerId: guest.ownerId,
    planId: guest.planId,
  };
}
