// Finds on a host's platform what a sync is to write: what is due, beside what was on record.
import type { Replacement } from "../core/inventory/identity.js";
import type { Services } from "../context/context.js";
import type { ObservedGuest } from "../hypervisor/observed.js";
import { actualStatuses } from "./actualStatuses.js";
import { readConfigs, replacements } from "./guestConfigs.js";
import { refuseTwin } from "./machines.js";
import { freedVmids } from "./missingGuests.js";
import { identify, observe, type Due, type Observation } from "./observe.js";
import { loadStored, type RecordedHost } from "../store/storedHost.js";

const DETAILS_MS = 5 * 60 * 1000;
/** The nodes of a cluster that are due together take turns, but none waits longer than this. */
const LATEST_DETAILS_MS = 2 * DETAILS_MS;
const TURNS = 4;
/** What is installed changes when somebody upgrades the node, which its version shows as a rule; to ask costs the node seconds. */
const SOFTWARE_MS = 6 * 60 * 60 * 1000;
/** A node that was seen last so long ago lacks the sample of a whole minute at least. */
const UNSEEN_MS = 2 * 60 * 1000;
/** Clocks of two machines may differ by so much. */
export const CLOCKS_APART_MS = 60_000;

export interface Sync {
  readonly hostId: number;
  /** Begin of the sync. */
  readonly now: Date;
  readonly thorough: boolean;
}

/** What was stored, and what was found on the platform. */
export interface Findings extends Sync {
  readonly before: RecordedHost;
  readonly observation: Observation;
  readonly observed: ReadonlyMap<number, ObservedGuest>;
  readonly replaced: ReadonlyMap<number, readonly Replacement[]>;
  readonly configs: Awaited<ReturnType<typeof readConfigs>>;
  readonly looks: Awaited<ReturnType<typeof actualStatuses>>;
  readonly freed: ReadonlySet<number>;
}

/** @throws DroverError platform; ConnectedTwice */
export async function find({ pool, hypervisors, rememberedGuests, log }: Services, sync: Sync): Promise<Findings> {
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
  const looks = await actualStatuses(hypervisor, { resources: observation.resources, known }, log);
  const freed = await freedVmids(hypervisor, before, observed);
  return { ...sync, before, observation, observed, replaced, configs, looks, freed };
}

const everythingDue: Due = { members: true, details: () => true, software: () => true, history: () => true };

/** Each sync samples the present minute itself: the history is to replace such samples by averages, and to fill in what is missing. */
function dueFor({ nodes, sameAsHostId }: RecordedHost, now: number): Due {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const turn = new Set(nextTurn(nodes, now));
  const details = (name: string): boolean =>
    turn.has(name) || isOlder(byName.get(name)?.detailsReadAt, LATEST_DETAILS_MS, now);
  const software = (name: string, version: string): boolean => {
    const known = byName.get(name);
    return known?.version !== version || isOlder(known.softwareReadAt, SOFTWARE_MS, now);
  };
  const history = (name: string): boolean => details(name) || isOlder(byName.get(name)?.sampledAt, UNSEEN_MS, now);
  return { members: sameAsHostId !== null, details, software, history };
}

/** A quarter of the nodes, those first that wait longest; one that is away for long keeps no other from its turn. */
const nextTurn = (nodes: RecordedHost["nodes"], now: number): string[] =>
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

/**
 * Whether something on record was read by a sync that began later than this one. A moment that is still to come says only that the
 * clock was set back.
 * @param moment milliseconds since 1970
 */
export const isLater = (moment: number | null, now: Date, present: Date): boolean =>
  (moment ?? 0) > now.getTime() && (moment ?? 0) <= present.getTime() + CLOCKS_APART_MS;
