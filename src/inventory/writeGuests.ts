// Writes what became of a host's guests: new ones, changed ones, those that moved inside the cluster, and those that are gone.
import type { PoolClient } from "pg";
import { diffRows } from "../core/inventory/diff.js";
import { evidenceOfAnother } from "../core/inventory/identity.js";
import type { GuestRow } from "./guestRows.js";
import { formerGuests } from "./revive.js";
import type { StoredGuest } from "./stored.js";

const RECORD = `(id int, type text, vmid int, node text, name text, status text, template boolean, lock text, tags text[],
  cores int, "memoryMb" int, "diskBytes" bigint, "cpuUsage" float4, "memoryUsedMb" int, "startedAt" float8,
  "ipAddresses" text[], storages text[], "unseenSince" float8, "configReadAt" float8, identity jsonb)`;

const at = (column: string): string => `to_timestamp("${column}" / 1000)`;

const INSERT = `
  insert into guest (host_id, node_id, type, vmid, name, status, template, lock, tags, cores, memory_mb, disk_bytes, cpu_usage,
    memory_used_mb, started_at, ip_addresses, storages, unseen_since, config_read_at, identity)
  select $1, n.id, o.type, o.vmid, o.name, o.status, o.template, o.lock, o.tags, o.cores, o."memoryMb", o."diskBytes",
    o."cpuUsage", o."memoryUsedMb", ${at("startedAt")}, o."ipAddresses", o.storages, ${at("unseenSince")}, ${at("configReadAt")}, o.identity
  from json_to_recordset($2) as o ${RECORD} join node n on n.host_id = $1 and n.name = o.node
  on conflict (host_id, vmid) where gone_at is null do nothing`;

const UPDATE = `
  update guest g set node_id = n.id, name = o.name, status = o.status, template = o.template, lock = o.lock, tags = o.tags,
    cores = o.cores, memory_mb = o."memoryMb", disk_bytes = o."diskBytes", cpu_usage = o."cpuUsage",
    memory_used_mb = o."memoryUsedMb", started_at = ${at("startedAt")}, ip_addresses = o."ipAddresses", storages = o.storages,
    unseen_since = ${at("unseenSince")}, config_read_at = ${at("configReadAt")}, identity = o.identity, gone_at = null
  from json_to_recordset($2) as o ${RECORD} join node n on n.host_id = $1 and n.name = o.node where g.id = o.id`;

// Whatever the host does not show although it is there.
const HIDDEN = `
  update guest set status = 'unknown', cpu_usage = null, memory_used_mb = null, started_at = null,
    unseen_since = coalesce(unseen_since, $2)
  where id = any($1) and status <> 'unknown'`;

const GONE = `update guest set gone_at = $2, status = 'unknown' where id = any($1) and gone_at is null`;

// An address that a guest was given by hand belongs to the zone it lies in, so that nobody else gets it.
const ADOPT = `
  insert into ip_address (zone_id, address, guest_id)
  select distinct on (z.id, a.address) z.id, a.address::inet, g.id
  from guest g cross join unnest(g.ip_addresses) as a (address)
  join ip_zone z on z.host_id = g.host_id and a.address::inet between z.range_start and z.range_end
  where g.host_id = $1 and g.gone_at is null and not g.safety_copy and g.id = any($2)
  order by z.id, a.address, g.id
  on conflict (zone_id, address) do nothing`;

/** Addresses of guests that were deleted behind the service's back rest for some minutes: such a guest may come back. */
const RELEASE = `
  delete from ip_address a using guest g
  where a.guest_id = g.id and a.job_id is null and g.host_id = $1 and g.gone_at < $2::timestamptz - interval '5 minutes'`;

export interface SeenGuests {
  readonly stored: readonly StoredGuest[];
  readonly rows: readonly GuestRow[];
  /** VMIDs that jobs write themselves. */
  readonly held: ReadonlySet<number>;
  /** VMIDs of stored guests that are free on the host. */
  readonly freed: ReadonlySet<number>;
}

interface Moment {
  readonly hostId: number;
  readonly now: Date;
}

export async function writeGuests(client: PoolClient, moment: Moment, seen: SeenGuests): Promise<void> {
  const { hostId, now } = moment;
  const isFree = ({ vmid }: { readonly vmid: number }): boolean => !seen.held.has(vmid);
  const observed = seen.rows.filter(isFree);
  const difference = diffRows<StoredGuest, GuestRow>(seen.stored.filter(isFree), observed, {
    keyOf: ({ vmid }) => vmid,
    isAnother,
  });
  await leave(client, now, { vanished: difference.vanished, ...seen });
  const former = await formerGuests(client, moment, difference.inserts);
  const changed = difference.updates.map(({ stored: { id }, observed: row }) => ({ id, ...row }));
  const revived = difference.inserts.flatMap((row) => withFormerId(row, former));
  await writeRows(client, UPDATE, { hostId, rows: [...changed, ...revived] });
  await writeRows(client, INSERT, { hostId, rows: difference.inserts.filter(({ vmid }) => !former.has(vmid)) });
  await adopt(client, hostId, observed);
  await client.query(RELEASE, [hostId, now]);
}

/** Guests whose VMID is free or another's now are gone; the others are only out of sight. */
async function leave(
  client: PoolClient,
  now: Date,
  { vanished, rows, freed }: Pick<SeenGuests, "rows" | "freed"> & { vanished: readonly StoredGuest[] },
): Promise<void> {
  const taken = new Set(rows.map(({ vmid }) => vmid));
  const isGone = ({ vmid }: StoredGuest): boolean => freed.has(vmid) || taken.has(vmid);
  const gone = vanished.filter(isGone).map(({ id }) => id);
  const hidden = vanished.filter((guest) => !isGone(guest)).map(({ id }) => id);
  if (gone.length > 0) await client.query(GONE, [gone, now]);
  if (hidden.length > 0) await client.query(HIDDEN, [hidden, now]);
}

function withFormerId(row: GuestRow, former: ReadonlyMap<number, number>): (GuestRow & { readonly id: number })[] {
  const id = former.get(row.vmid);
  return id === undefined ? [] : [{ id, ...row }];
}

async function writeRows(
  client: PoolClient,
  statement: string,
  { hostId, rows }: { hostId: number; rows: readonly GuestRow[] },
): Promise<void> {
  if (rows.length > 0) await client.query(statement, [hostId, JSON.stringify(rows)]);
}

/** A VMID that was deleted and used again is another guest. */
function isAnother(stored: StoredGuest, observed: GuestRow): boolean {
  if (stored.identity === null || observed.identity === null) return stored.type !== observed.type;
  const known = { type: stored.type, ...stored.identity };
  const { marks, identifiedAt } = observed.identity;
  return evidenceOfAnother(known, { type: observed.type, marks, replacedAt: identifiedAt }) !== null;
}

async function adopt(client: PoolClient, hostId: number, rows: readonly GuestRow[]): Promise<void> {
  const vmids = rows.filter(({ ipAddresses }) => ipAddresses.length > 0).map(({ vmid }) => vmid);
  if (vmids.length === 0) return;
  const { rows: found } = await client.query<{ id: number }>(
    `select g.id from guest g where g.host_id = $1 and g.vmid = any($2) and g.gone_at is null
       and not (g.ip_addresses <@ array(select host(a.address) from ip_address a where a.guest_id = g.id))`,
    [hostId, vmids],
  );
  if (found.length > 0) await client.query(ADOPT, [hostId, found.map(({ id }) => id)]);
}
