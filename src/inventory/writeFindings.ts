// Writes what a sync has found, in the caller's transaction: what changed, and what no later sync has read.
import type { PoolClient } from "pg";
import type { GuestType } from "../core/enums.js";
import type { ObservedGuest } from "../hypervisor/observed.js";
import * as hostSync from "../store/hostSync.js";
import { isLater, type Findings } from "./findings.js";
import { guestRow, type Reading } from "./guestRows.js";
import { refuseTwin } from "./machines.js";
import { hostDetails, type Identity } from "./observe.js";
import { writeOvertaken } from "./overtaken.js";
import { afterWriting, type PresentGuests } from "../store/guest/present.js";
import { sortGuests } from "./unchangedGuests.js";
import { loadStored, type RecordedHost } from "../store/storedHost.js";
import { loadStoredGuests, type StoredGuest } from "../store/guest/stored.js";
import { writeGuests } from "./writeGuests.js";
import { writeNodes } from "./writeNodes.js";

/** @returns the guests as they are on record once this is committed */
export async function writeFindings(client: PoolClient, findings: Findings, present: Date): Promise<PresentGuests> {
  const { hostId, now, before, observation, observed, replaced, freed } = findings;
  await client.query(`select pg_advisory_xact_lock(hashtext('inventory'), $1)`, [hostId]);
  const { guests, nodes, lastSyncAt, heldVmids } = await loadStored(client, hostId, {
    guests: before.guests,
    since: before.readAt,
  });
  if (hasNewMembers(observation, nodes)) {
    // Of two hosts that are read for the first time at once, the later one sees the earlier.
    await client.query(`select pg_advisory_xact_lock(hashtext('machines'))`);
    await refuseTwin(client, hostId, observation);
  }
  // Jobs write the guests that they make, move or remove: what was seen of those in between is out of date.
  const held = new Set([...before.heldVmids, ...heldVmids]);
  if (isLater(lastSyncAt, now, present)) return writeOvertaken(client, findings, { nodes, guests, held }, present);
  await writeNodes(client, { hostId, now, observation, known: nodes.map(({ name }) => name) });
  const { others, loads } = sortGuests(readings(findings, guests));
  const stored = await storedRows(client, hostId, others);
  const rows = others.map((reading) => guestRow(reading, ofSameType(stored, reading.observed)));
  const seen = { known: guests.byVmid, observed, replaced, stored, rows, loads, held, freed };
  const written = await writeGuests(client, { hostId, now }, seen);
  const { cluster } = observation;
  await hostSync.settle(client, {
    hostId,
    now,
    ...hostDetails(observation),
    kind: cluster.kind,
    clusterName: cluster.name,
    quorate: cluster.quorate,
    held: [...held],
    endedBefore: before.readAt,
  });
  return written === null ? guests : afterWriting(client, hostId, { before: guests, ...written });
}

function hasNewMembers({ members }: Identity, nodes: RecordedHost["nodes"]): boolean {
  const known = new Map(nodes.map(({ name, certificate }) => [name, certificate]));
  return members?.some(({ name, certificate }) => certificate !== null && certificate !== known.get(name)) ?? false;
}

function readings({ observed, configs, looks, replaced, now }: Findings, { byVmid }: PresentGuests): Reading[] {
  return Array.from(observed.values(), (guest) => {
    return {
      observed: guest,
      known: ofSameType(byVmid, guest),
      looked: looks.get(guest.vmid),
      config: configs.get(guest.vmid),
      replacements: replaced.get(guest.vmid) ?? [],
      now: now.getTime(),
    };
  });
}

/** Of a guest of the other type under this VMID nothing holds. */
function ofSameType<Guest extends { readonly type: GuestType }>(
  guests: ReadonlyMap<number, Guest>,
  { vmid, type }: ObservedGuest,
): Guest | undefined {
  const guest = guests.get(vmid);
  return guest?.type === type ? guest : undefined;
}

/** By VMID; guests that are new have none. */
async function storedRows(
  client: PoolClient,
  hostId: number,
  others: readonly Reading[],
): Promise<ReadonlyMap<number, StoredGuest>> {
  const vmids = others.map(({ observed }) => observed.vmid);
  const rows = vmids.length > 0 ? await loadStoredGuests(client, hostId, vmids) : [];
  return new Map(rows.map((row) => [row.vmid, row]));
}
