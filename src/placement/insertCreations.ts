// Records the jobs of reserved creations with everything that they hold: locks, VMIDs, room and addresses.
import type { PoolClient } from "pg";
import { JobKind } from "../core/enums.js";
import { guestLock } from "../core/guest/lock.js";
import { GIB } from "../core/units.js";
import type { ZoneFacts } from "./createGuestFacts.js";
import type { CreationInput, GuestSecrets } from "../job/creationInput.js";
import * as held from "../store/held/take.js";
import { setJobInputs } from "../store/job/job.js";
import { createdBy } from "../job/insertJob.js";
import { sealedSecrets } from "../job/jobSecrets.js";
import { versionOf } from "../job/kinds.js";
import type { PlacedCreation } from "./creation.js";
import { takeAddresses, type TakenAddress } from "./takeAddress.js";

/** @returns the jobs' ids by VMID; workers are woken when the transaction is committed @throws DroverError as `takeAddresses` */
export async function insertCreations(
  client: PoolClient,
  hostId: number,
  creations: readonly PlacedCreation[],
): Promise<ReadonlyMap<number, number>> {
  if (creations.length === 0) return new Map();
  const version = versionOf(JobKind.GUEST_CREATE);
  const jobs = await held.insertCreations(client, { hostId, version, creations: creations.map(rowOf) });
  const jobIds = new Map(jobs.map(({ id, vmid }) => [vmid, id]));
  await giveAddresses(
    client,
    creations.map((creation) => ({ creation, jobId: jobIds.get(creation.vmid) ?? 0 })),
  );
  return jobIds;
}

function rowOf(creation: PlacedCreation): held.Creation {
  const { context, guest, vmid, best } = creation;
  const secrets: GuestSecrets = { password: guest.password, sshKeys: [...guest.sshKeys] };
  const { userId, tokenId } = createdBy(context.viewer);
  return {
    vmid,
    node: best.node,
    storage: best.storage,
    memory_mb: guest.size.memoryMb,
    disk_bytes: guest.size.diskGb * GIB,
    lock: guestLock(best.hostId, vmid),
    input: jobInput(creation, null),
    secrets: sealedSecrets(context.secrets, { kind: JobKind.GUEST_CREATE, hostId: best.hostId, secrets }),
    user_id: userId,
    token_id: tokenId,
  };
}

interface Inserted {
  readonly creation: PlacedCreation;
  readonly jobId: number;
}

/** Takes addresses for those that want one, and adds them to what their jobs are to do. */
async function giveAddresses(client: PoolClient, inserted: readonly Inserted[]): Promise<void> {
  const zones = Map.groupBy(inserted, ({ creation }) => creation.guest.facts.zone?.id ?? null);
  zones.delete(null);
  for (const ofZone of zones.values()) {
    const zone = ofZone[0]?.creation.guest.facts.zone;
    if (zone) await addressFrom(client, zone, ofZone);
  }
}

async function addressFrom(client: PoolClient, zone: ZoneFacts, inserted: readonly Inserted[]): Promise<void> {
  const jobIds = inserted.map(({ jobId }) => jobId);
  const addresses = await takeAddresses(client, zone, jobIds);
  const inputs = inserted.map(({ creation, jobId }, index) => ({
    id: jobId,
    input: jobInput(creation, addresses[index] ?? null),
  }));
  await setJobInputs(client, inputs);
}

function jobInput({ guest, best }: PlacedCreation, address: TakenAddress | null): CreationInput {
  const { template, zone } = guest.facts;
  return {
    type: guest.type,
    name: guest.name,
    cores: guest.size.cores,
    memoryMb: guest.size.memoryMb,
    diskGb: guest.systemDiskGb,
    furtherDiskBytes: guest.facts.template?.furtherDiskBytes ?? 0,
    vmidAsked: guest.vmid !== null,
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
