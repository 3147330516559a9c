// Brings the inventory of one host up to date: observe, compare, write what changed in one transaction.
import type { PoolClient } from "pg";
import type { Services } from "../context.js";
import { inTransaction } from "../db/transaction.js";
import { DroverError } from "../errors.js";
import { guestRow } from "./guestRows.js";
import { lookCloser } from "./closerLook.js";
import { readConfigs, replacements } from "./guestConfigs.js";
import { observe, type Due, type Observation } from "./observe.js";
import { freedVmids } from "./missingGuests.js";
import { loadStored, type StoredGuest, type StoredHost } from "./stored.js";
import { writeGuests } from "./writeGuests.js";
import { writeNodes } from "./writeNodes.js";

const DETAILS_MS = 5 * 60 * 1000;
const SAMPLE_MS = 55 * 1000;
/** Clocks of two machines may differ by so much. */
const CLOCKS_APART_MS = 60_000;
/** Nodes of a host that was silent for so many intervals, at least this long, are of unknown state. */
const SILENT_INTERVALS = 3;
const LEAST_SILENCE_SECONDS = 15;

export interface SyncOptions {
  /** Asks for everything, also what is not due yet. */
  readonly thorough?: boolean;
}

/** @throws DroverError platform, conflict (host switched off); the failure is on record then (`lastSyncError`) */
export async function syncHost(services: Services, hostId: number, options: SyncOptions = {}): Promise<void> {
  const now = services.clock.now();
  try {
    const findings = await find(services, { hostId, now, thorough: options.thorough ?? false });
    await inTransaction(services.pool, (client) => write(client, findings, services.clock.now()));
  } catch (error) {
    await recordFailure(services, { hostId, now }, error);
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
  readonly replaced: ReadonlyMap<number, number>;
  readonly configs: Awaited<ReturnType<typeof readConfigs>>;
  readonly looks: Awaited<ReturnType<typeof lookCloser>>;
  readonly freed: ReadonlySet<number>;
}

async function find({ pool, hypervisors, log }: Services, sync: Sync): Promise<Findings> {
  const { hostId, now, thorough } = sync;
  const hypervisor = await hypervisors.of(hostId);
  const before = await loadStored(pool, hostId);
  const due = thorough ? everythingDue : dueFor(before, now.getTime());
  const observation = await observe({ hypervisor, log }, due);
  const { guests: observed } = observation.resources;
  const replaced = replacements(observation.tasks);
  const stored = new Map(before.guests.map((guest) => [guest.vmid, guest]));
  const question = { observed, stored, replaced, now: now.getTime(), thorough };
  const configs = await readConfigs(hypervisor, question, log);
  const looks = await lookCloser(hypervisor, { resources: observation.resources, stored }, log);
  const freed = await freedVmids(hypervisor, before, observed);
  return { ...sync, before, observation, replaced, configs, looks, freed };
}

const everythingDue: Due = { details: () => true, history: () => true };

function dueFor({ nodes }: StoredHost, now: number): Due {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  return {
    details: (name) => isOlder(byName.get(name)?.detailsReadAt, DETAILS_MS, now),
    history: (name) => isOlder(byName.get(name)?.sampledAt, SAMPLE_MS, now),
  };
}

/** A moment that is still to come was written before the clock was set back: it says nothing. */
const isOlder = (moment: number | null | undefined, ageMs: number, now: number): boolean =>
  now - (moment ?? 0) > ageMs || (moment ?? 0) > now + CLOCKS_APART_MS;

async function write(client: PoolClient, findings: Findings, present: Date): Promise<void> {
  const { hostId, now, before, observation, freed } = findings;
  await client.query(`select pg_advisory_xact_lock(hashtext('inventory'), $1)`, [hostId]);
  const stored = await loadStored(client, hostId, before.readAt);
  // Another process has seen the host later than we did: ours is old news. What is still to come says only that the clock
  // was set back.
  const lastSyncAt = stored.lastSyncAt ?? 0;
  if (lastSyncAt > now.getTime() && lastSyncAt <= present.getTime() + CLOCKS_APART_MS) return;
  // Jobs write the guests that they make, move or remove: what was seen of those in between is out of date.
  const held = new Set([...before.heldVmids, ...stored.heldVmids]);
  await writeNodes(client, hostId, observation, now);
  await writeGuests(
    client,
    { hostId, now },
    { stored: stored.guests, rows: guestRows(findings, stored.guests), held, freed },
  );
  await followTemplates(client, hostId);
  await releaseCountedRoom(client, before.readAt, hostId);
  await client.query(
    `update host set last_sync_at = $2, last_sync_error = null, version = $3, kind = $4, cluster_name = $5 where id = $1`,
    [hostId, now, observation.version.version, observation.cluster.kind, observation.cluster.name],
  );
}

function guestRows({ observation, configs, looks, replaced, now }: Findings, stored: readonly StoredGuest[]) {
  const byVmid = new Map(stored.map((guest) => [guest.vmid, guest]));
  return observation.resources.guests.map((observed) => {
    const known = byVmid.get(observed.vmid);
    return guestRow({
      observed,
      // Of a guest of the other type under this VMID nothing holds.
      stored: known?.type === observed.type ? known : undefined,
      looked: looks.get(observed.vmid),
      config: configs.get(observed.vmid),
      replacedAt: replaced.get(observed.vmid) ?? null,
      now: now.getTime(),
    });
  });
}

/** Room stays promised after the end of its job until the guest itself is counted: that is now, for what had ended before. */
async function releaseCountedRoom(client: PoolClient, readAt: string, hostId: number): Promise<void> {
  await client.query(
    `delete from capacity_reservation r using job j where j.id = r.job_id and j.host_id = $1 and j.finished_at < $2`,
    [hostId, readAt],
  );
}

/** Registered templates follow their guest: its node, its size, and whether it is still there and still a template. */
async function followTemplates(client: PoolClient, hostId: number): Promise<void> {
  await client.query(
    `update os_template t set active = g.id is not null, node_id = coalesce(g.node_id, t.node_id),
       min_disk_bytes = coalesce(g.disk_bytes, t.min_disk_bytes)
     from os_template o left join guest g on g.host_id = o.host_id and g.vmid = o.vmid and g.gone_at is null and g.template
     where t.id = o.id and t.host_id = $1
       and (t.active, t.node_id, t.min_disk_bytes)
         is distinct from (g.id is not null, coalesce(g.node_id, t.node_id), coalesce(g.disk_bytes, t.min_disk_bytes))`,
    [hostId],
  );
}

/** A sync that began later has told more: then this failure is old news. */
async function recordFailure(
  { pool, config, log }: Services,
  { hostId, now }: Pick<Sync, "hostId" | "now">,
  error: unknown,
): Promise<void> {
  const message = error instanceof DroverError ? error.message : "internal error";
  const silence = Math.max(LEAST_SILENCE_SECONDS, SILENT_INTERVALS * config.syncSeconds);
  const recorded = pool.query(
    `with failed as (
       update host set last_sync_error = $2
       where id = $1 and (last_sync_at is null or last_sync_at < $3 or last_sync_at > $3::timestamptz + $5 * interval '1 ms')
       returning id, last_sync_at)
     update node n set status = 'unknown' from failed
     where n.host_id = failed.id and n.status <> 'unknown'
       and (failed.last_sync_at is null or failed.last_sync_at < $3::timestamptz - $4 * interval '1 second'
         or failed.last_sync_at > $3)`,
    [hostId, message, now, silence, CLOCKS_APART_MS],
  );
  await recorded.catch((reason: unknown) => log.warn({ err: reason, hostId }, "a failed sync could not be recorded"));
}
