// Writes what an overtaken sync has read and the later one has not: that one asked for what was due only.
import type { PoolClient } from "pg";
import * as hosts from "../store/host/record.js";
import * as nodes from "../store/node.js";
import * as nodeSamples from "../store/nodeSample.js";
import * as observedGuests from "../store/guest/observed.js";
import { isLater, type Findings } from "./findings.js";
import { hostDetails } from "./observe.js";
import { withConfiguration } from "./guestRows.js";
import { afterWriting, type PresentGuests } from "../store/guest/present.js";
import type { RecordedHost } from "../store/storedHost.js";
import { loadStoredGuests, type KnownGuest, type StoredGuest } from "../store/guest/stored.js";
import { isAnotherSince } from "./writeGuests.js";
import { pastSamples, writeDetails } from "./writeNodes.js";

/** What the later sync has left on record. */
interface OnRecord extends Pick<RecordedHost, "nodes" | "guests"> {
  /** VMIDs that jobs write themselves. */
  readonly held: ReadonlySet<number>;
}

/**
 * The later sync's overview holds: states, loads, storages, which nodes and guests there are. Of all that is asked for less often, the
 * newer reading does, node by node and guest by guest.
 * @returns the guests as they are on record once this is committed
 */
export async function writeOvertaken(
  client: PoolClient,
  findings: Findings,
  record: OnRecord,
  present: Date,
): Promise<PresentGuests> {
  await writeUnreadDetails(client, findings, record, present);
  await nodeSamples.record(client, findings.hostId, pastSamples(findings.observation.histories));
  return writeUnreadConfigurations(client, findings, record, present);
}

/** Of the host and its members is asked with the details of whichever node. */
async function writeUnreadDetails(
  client: PoolClient,
  { hostId, now, observation }: Findings,
  { nodes: known }: OnRecord,
  present: Date,
): Promise<void> {
  const later = known.filter(({ detailsReadAt }) => isLater(detailsReadAt, now, present)).map(({ name }) => name);
  const { members } = observation;
  if (later.length === 0) await hosts.recordDetails(client, hostId, hostDetails(observation));
  if (later.length === 0 && members !== null) await nodes.recordCertificates(client, hostId, members);
  const details = observation.details.filter(({ node }) => !later.includes(node));
  if (details.length > 0) await writeDetails(client, { hostId, now, details });
}

async function writeUnreadConfigurations(
  client: PoolClient,
  findings: Findings,
  { guests, held }: OnRecord,
  present: Date,
): Promise<PresentGuests> {
  const { hostId, now, configs, replaced } = findings;
  const isUnread = ({ vmid, configReadAt }: KnownGuest): boolean =>
    configs.has(vmid) && !held.has(vmid) && !isLater(configReadAt, now, present);
  const vmids = [...guests.byVmid.values()].filter(isUnread).map(({ vmid }) => vmid);
  if (vmids.length === 0) return guests;
  const isAnother = isAnotherSince(replaced);
  const rows = (await loadStoredGuests(client, hostId, vmids)).flatMap((stored) => {
    const row = configured(stored, findings);
    // That it is another guest is left to the next sync, which sees all of it.
    return row === null || isAnother(stored, row) ? [] : [row];
  });
  await observedGuests.update(client, hostId, rows);
  return afterWriting(client, hostId, { before: guests, vmids: rows.map(({ vmid }) => vmid), loads: [] });
}

/** @returns null when the configuration that was read is of no guest of this type */
function configured(stored: StoredGuest, { observed, configs, replaced, now }: Findings): StoredGuest | null {
  const { vmid, type } = stored;
  const seen = observed.get(vmid);
  const config = configs.get(vmid);
  if (seen?.type !== type || config === undefined) return null;
  const reading = { observed: seen, known: undefined, looked: undefined, config };
  return withConfiguration({ ...reading, replacements: replaced.get(vmid) ?? [], now: now.getTime() }, stored);
}
