// Brings the inventory of one host up to date: observe, compare, write what changed in one transaction.
import type { Pool, PoolClient } from "pg";
import { databaseTrouble, refusalFor } from "../db/databaseTrouble.js";
import type { GuestType } from "../core/enums.js";
import type { Replacement } from "../core/inventory/identity.js";
import type { ObservedGuest } from "../hypervisor/observed.js";
import { isPlatformError, PlatformReason } from "../hypervisor/platformError.js";
import type { Services } from "../context/context.js";
import { inTransaction } from "../db/transaction.js";
import { messageForOperators } from "../errors/errors.js";
import * as hostSync from "../store/hostSync.js";
import { guestRow, type Reading } from "./guestRows.js";
import { lookCloser } from "./closerLook.js";
import { readConfigs, replacements } from "./guestConfigs.js";
import { ConnectedTwice, otherHostOf } from "./machines.js";
import { identify, observe, type Due, type Identity, type Observation } from "./observe.js";
import { freedVmids } from "./missingGuests.js";
import { afterWriting, type PresentGuests } from "./presentGuests.js";
import { sortGuests } from "./quietGuests.js";
import { loadStored, type StoredHost } from "./stored.js";
import { loadStoredGuests, type StoredGuest } from "./storedGuest.js";
import { writeGuests } from "./writeGuests.js";
import { writeNodes } from "./writeNodes.js";

const DETAILS_MS = 5 * 60 * 1000;
/** The nodes of a cluster that are due together take turns, but none waits longer than this. */
const LATEST_DETAILS_MS = 2 * DETAILS_MS;
const TURNS = 4;
/** A node that was seen last so long ago lacks the sample of a whole minute at least. */
const UNSEEN_MS = 2 * 60 * 1000;
/** Clocks of two machines may differ by so much. */
const CLOCKS_APART_MS = 60_000;
/** Nodes of a host that was silent for so many intervals, at least this long, are of unknown state. */
const SILENT_INTERVALS = 3;
const LEAST_SILENCE_SECONDS = 15;

export interface SyncOptions {
  /** Asks for everything, also what is not due yet. */
  readonly thorough?: boolean;
}

/**
 * @throws DroverError platform, conflict (host switched off; `HOST_EXISTS` when its machines are another host's); the failure is on
 *   record then (`lastSyncError`). Errors of a database that cannot serve
 */
export async function syncHost(services: Services, hostId: number, options: SyncOptions = {}): Promise<void> {
  const sync = { hostId, now: services.clock.now(), thorough: options.thorough ?? false };
  try {
    const findings = await find(services, sync);
    const guests = await inTransaction(services.pool, (client) => write(client, findings, services.clock.now()));
    services.rememberedGuests.remember(hostId, guests);
  } catch (error) {
    if (concernsHost(error)) await recordFailure(services, sync, error);
    throw error;
  }
}

interface Sync {
  readonly hostId: number;
  /** Begin of the sync. */
  readonly now: Date;
  readonly thorough: boolean;
}

/** What was stored, and what was found on the platform. */
interface Findings extends Sync {
  readonly before: StoredHost;
  readonly observation: Observation;
  readonly observed: ReadonlyMap<number, ObservedGuest>;
  readonly replaced: ReadonlyMap<number, readonly Replacement[]>;
  readonly configs: Awaited<ReturnType<typeof readConfigs>>;
  readonly looks: Awaited<ReturnType<typeof lookCloser>>;
  readonly freed: ReadonlySet<number>;
}

async function find({ pool, hypervisors, rememberedGuests, log }: Services, sync: Sync): Promise<Findings> {
  const { hostId, now, thorough } = sync;
  const hypervisor = await hypervisors.of(hostId);
  const before = await loadStored(pool, hostId, { guests: rememberedGuests.of(hostId) });
  const due = thorough ? everythingDue : dueFor(before, now.getTime());
  const identity = await identify({ hypervisor }, due);
  await refuseTwin(pool, hostId, identity);
  const observation = await observe({ hypervisor, log }, identity, due);
  const { guests } = observation.resources;
  const observed = new Map(guests.map((guest) => [guest.vmid, guest]));
  const replaced = replacements(observation.tasks);
  const known = before.guests.byVmid;
  const question = { observed: guests, known, replaced, now: now.getTime(), thorough };
  const configs = await readConfigs(hypervisor, question, log);
  const looks = await lookCloser(hypervisor, { resources: observation.resources, known }, log);
  const freed = await freedVmids(hypervisor, before, observed);
  return { ...sync, before, observation, observed, replaced, configs, looks, freed };
}

/** @throws ConnectedTwice */
async function refuseTwin(database: Pool | PoolClient, hostId: number, { cluster, members }: Identity): Promise<void> {
  const other = await otherHostOf(database, hostId, { clusterName: cluster.name, members: members ?? [] });
  if (other !== null) throw new ConnectedTwice(other);
}

const everythingDue: Due = { members: true, details: () => true, history: () => true };

/** Each sync samples the present minute itself: the history is to replace such samples by averages, and to fill in what is missing. */
function dueFor({ nodes, sameAsHostId }: StoredHost, now: number): Due {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const turn = new Set(nextTurn(nodes, now));
  const details = (name: string): boolean =>
    turn.has(name) || isOlder(byName.get(name)?.detailsReadAt, LATEST_DETAILS_MS, now);
  const history = (name: string): boolean => details(name) || isOlder(byName.get(name)?.sampledAt, UNSEEN_MS, now);
  return { members: sameAsHostId !== null, details, history };
}

/** A quarter of the nodes, those first that wait longest; one that is away for long keeps no other from its turn. */
const nextTurn = (nodes: StoredHost["nodes"], now: number): string[] =>
  nodes
    .filter(
      ({ detailsReadAt }) => isOlder(detailsReadAt, DETAILS_MS, now) && !isOlder(detailsReadAt, LATEST_DETAILS_MS, now),
    )
    .toSorted((left, right) => (left.detailsReadAt ?? 0) - (right.detailsReadAt ?? 0))
    .slice(0, Math.ceil(nodes.length / TURNS))
    .map(({ name }) => name);

/** A moment that is still to come was written before the clock was set back: it says nothing. */
const isOlder = (moment: number | null | undefined, ageMs: number, now: number): boolean =>
  now - (moment ?? 0) > ageMs || (moment ?? 0) > now + CLOCKS_APART_MS;

/** @returns the guests as they are on record once this is committed */
async function write(client: PoolClient, findings: Findings, present: Date): Promise<PresentGuests> {
  const { hostId, now, before, observation, observed, replaced, freed } = findings;
  await client.query(`select pg_advisory_xact_lock(hashtext('inventory'), $1)`, [hostId]);
  const { guests, nodes, lastSyncAt, heldVmids } = await loadStored(client, hostId, {
    guests: before.guests,
    since: before.readAt,
  });
  if (isOldNews(now, lastSyncAt ?? 0, present)) return guests;
  if (hasNewMembers(observation, nodes)) {
    // Of two hosts that are read for the first time at once, the later one sees the earlier.
    await client.query(`select pg_advisory_xact_lock(hashtext('machines'))`);
    await refuseTwin(client, hostId, observation);
  }
  // Jobs write the guests that they make, move or remove: what was seen of those in between is out of date.
  const held = new Set([...before.heldVmids, ...heldVmids]);
  await writeNodes(client, { hostId, now, observation, known: nodes.map(({ name }) => name) });
  const { others, loads } = sortGuests(readings(findings, guests));
  const stored = await storedRows(client, hostId, others);
  const rows = others.map((reading) => guestRow(reading, ofSameType(stored, reading.observed)));
  const seen = { known: guests.byVmid, observed, replaced, stored, rows, loads, held, freed };
  const written = await writeGuests(client, { hostId, now }, seen);
  const { version, cluster } = observation;
  await hostSync.settle(client, {
    hostId,
    now,
    version: version?.version ?? null,
    kind: cluster.kind,
    clusterName: cluster.name,
    quorate: cluster.quorate,
    held: [...held],
    endedBefore: before.readAt,
  });
  return written === null ? guests : afterWriting(client, hostId, { before: guests, ...written });
}

function hasNewMembers({ members }: Identity, nodes: StoredHost["nodes"]): boolean {
  const known = new Map(nodes.map(({ name, certificate }) => [name, certificate]));
  return members?.some(({ name, certificate }) => certificate !== null && certificate !== known.get(name)) ?? false;
}

/**
 * Whether another process has seen the host later than this one. What is still to come says only that the clock was set back.
 * @param lastSyncAt milliseconds since 1970
 */
const isOldNews = (now: Date, lastSyncAt: number, present: Date): boolean =>
  lastSyncAt > now.getTime() && lastSyncAt <= present.getTime() + CLOCKS_APART_MS;

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

/** A database that was away says nothing about the host, whose turn comes again; one for which the host has too much to write does. */
function concernsHost(error: unknown): boolean {
  const trouble = databaseTrouble(error);
  return trouble === null || trouble === "tooLong";
}

/**
 * Seconds after which the nodes are of unknown state. After a requested sync that found the host unreachable, its nodes are not shown
 * as online; nor are those that are another host's, where they would be placed on twice.
 */
function toleratedSilence({ thorough }: Sync, error: unknown, syncSeconds: number): number {
  if (error instanceof ConnectedTwice) return 0;
  if (thorough && isPlatformError(error, PlatformReason.UNREACHABLE)) return 0;
  return Math.max(LEAST_SILENCE_SECONDS, SILENT_INTERVALS * syncSeconds);
}

/** A sync that began later has newer results: then this failure is outdated. */
async function recordFailure({ pool, config, log }: Services, sync: Sync, error: unknown): Promise<void> {
  const { hostId, now } = sync;
  const refused = refusalFor(error);
  const message = refused === null ? "internal error" : messageForOperators(refused);
  const silence = toleratedSilence(sync, error, config.syncSeconds);
  const sameAsHostId = error instanceof ConnectedTwice ? error.otherId : null;
  const failed = { hostId, at: now, error: message, sameAsHostId };
  const failure = { ...failed, toleratedSeconds: silence, clocksApartMs: CLOCKS_APART_MS };
  const recorded = hostSync.fail(pool, failure);
  await recorded.catch((reason: unknown) => log.warn({ err: reason, hostId }, "a failed sync could not be recorded"));
}
