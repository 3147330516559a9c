// Writes what became of a host's guests: new ones, changed ones, those that moved inside the cluster, and those that are gone.
import type { PoolClient } from "pg";
import { GuestStatus } from "../core/enums.js";
import { diffRows } from "../core/inventory/diff.js";
import { evidenceOfAnother } from "../core/inventory/identity.js";
import type { GuestRow } from "./guestRows.js";
import type { PresentGuests, Written } from "./presentGuests.js";
import type { ChangedLoad } from "./quietGuests.js";
import { formerGuests } from "./revive.js";
import { VERSION, type KnownGuest, type StoredGuest } from "./storedGuest.js";

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

// A row that somebody else has written since it was compared is left for the next sync. Only columns without an index change,
// and the rows find room on their page: no index is touched.
const LOADS = `
  update guest g set cpu_usage = o.cpu, memory_used_mb = o.memory, started_at = to_timestamp(o.started / 1000)
  from unnest($1::int[], $2::bigint[], $3::real[], $4::int[], $5::float8[]) as o (id, version, cpu, memory, started)
  where g.id = o.id and g.${VERSION} = o.version`;

// Whatever the host does not show although it is there.
const HIDDEN = `
  update guest set status = 'unknown', cpu_usage = null, memory_used_mb = null, started_at = null,
    unseen_since = coalesce(unseen_since, $2)
  where id = any($1) and status <> 'unknown'`;

const GONE = `update guest set gone_at = $2, status = 'unknown' where id = any($1) and gone_at is null`;

interface SeenGuests {
  /** All that are on record. */
  readonly known: PresentGuests["byVmid"];
  /** VMIDs of all that were observed. */
  readonly observed: { has(vmid: number): boolean };
  /** Of those that are not quiet, the row as it is, where there is one. */
  readonly stored: ReadonlyMap<number, StoredGuest>;
  /** The same as they should be. */
  readonly rows: readonly GuestRow[];
  readonly loads: readonly ChangedLoad[];
  /** VMIDs that jobs write themselves. */
  readonly held: ReadonlySet<number>;
  /** VMIDs of stored guests that are free on the host. */
  readonly freed: ReadonlySet<number>;
}

interface Moment {
  readonly hostId: number;
  readonly now: Date;
}

/** @returns null when there was nothing to write */
export async function writeGuests(client: PoolClient, moment: Moment, seen: SeenGuests): Promise<Written | null> {
  const { hostId, now } = moment;
  const isFree = ({ vmid }: { readonly vmid: number }): boolean => !seen.held.has(vmid);
  const rows = seen.rows.filter(isFree);
  const stored = rows.flatMap(({ vmid }) => seen.stored.get(vmid) ?? []);
  const difference = diffRows<StoredGuest, GuestRow>(stored, rows, { keyOf: ({ vmid }) => vmid, isAnother });
  const unseen = [...seen.known.values()].filter((guest) => !seen.observed.has(guest.vmid) && isFree(guest));
  const left = await leave(client, now, { ...seen, missing: [...difference.vanished, ...unseen] });
  const former = await formerGuests(client, moment, difference.inserts);
  const changed = difference.updates.map(({ stored: { id }, observed: row }) => ({ id, ...row }));
  const revived = difference.inserts.flatMap((row) => withFormerId(row, former));
  await writeRows(client, { name: "inventory-update", text: UPDATE }, { hostId, rows: [...changed, ...revived] });
  await writeRows(
    client,
    { name: "inventory-insert", text: INSERT },
    { hostId, rows: difference.inserts.filter(({ vmid }) => !former.has(vmid)) },
  );
  const loads = seen.loads.filter(({ guest }) => isFree(guest));
  await writeLoads(client, loads);
  const vmids = [...changed, ...difference.inserts].map(({ vmid }) => vmid);
  if (left + vmids.length + loads.length === 0) return null;
  return { vmids, loads };
}

/** Guests whose VMID is free or another's now are gone; the others are only out of sight. @returns how many are written */
async function leave(
  client: PoolClient,
  now: Date,
  {
    missing,
    observed,
    freed,
  }: Pick<SeenGuests, "observed" | "freed"> & { missing: readonly Pick<KnownGuest, "id" | "vmid" | "status">[] },
): Promise<number> {
  const isGone = ({ vmid }: Pick<KnownGuest, "vmid">): boolean => freed.has(vmid) || observed.has(vmid);
  const gone = missing.filter(isGone).map(({ id }) => id);
  const hidden = missing.filter((guest) => !isGone(guest) && guest.status !== GuestStatus.UNKNOWN).map(({ id }) => id);
  if (gone.length > 0) await client.query(GONE, [gone, now]);
  if (hidden.length > 0) await client.query(HIDDEN, [hidden, now]);
  return gone.length + hidden.length;
}

async function writeLoads(client: PoolClient, loads: readonly ChangedLoad[]): Promise<void> {
  if (loads.length === 0) return;
  const values = [
    column(loads, ({ guest }) => guest.id),
    column(loads, ({ guest }) => guest.version),
    column(loads, ({ load }) => load.cpuUsage),
    column(loads, ({ load }) => load.memoryUsedMb),
    column(loads, ({ load }) => load.startedAt),
  ];
  await client.query({ name: "inventory-loads", text: LOADS, values });
}

/** A PostgreSQL array of numbers as text: the driver takes ten times as long to write one. */
const column = (loads: readonly ChangedLoad[], figure: (changed: ChangedLoad) => number | null): string =>
  `{${loads.map((changed) => figure(changed) ?? "NULL").join(",")}}`;

function withFormerId(row: GuestRow, former: ReadonlyMap<number, number>): (GuestRow & { readonly id: number })[] {
  const id = former.get(row.vmid);
  return id === undefined ? [] : [{ id, ...row }];
}

async function writeRows(
  client: PoolClient,
  statement: { readonly name: string; readonly text: string },
  { hostId, rows }: { hostId: number; rows: readonly GuestRow[] },
): Promise<void> {
  if (rows.length > 0) await client.query({ ...statement, values: [hostId, JSON.stringify(rows)] });
}

/** A VMID that was deleted and used again is another guest. */
function isAnother(stored: StoredGuest, observed: GuestRow): boolean {
  if (stored.identity === null || observed.identity === null) return stored.type !== observed.type;
  const known = { type: stored.type, ...stored.identity };
  const { marks, identifiedAt } = observed.identity;
  return evidenceOfAnother(known, { type: observed.type, marks, replacedAt: identifiedAt }) !== null;
}
