// Loads what the inventory holds of one host, for comparison with what was just observed.
import type { ClientBase, Pool } from "pg";
import type { GuestMarks } from "../core/inventory/identity.js";
import type { GuestStatus, GuestType } from "../core/enums.js";

export interface StoredGuest {
  readonly id: number;
  readonly type: GuestType;
  readonly vmid: number;
  readonly node: string;
  readonly name: string;
  readonly status: GuestStatus;
  readonly template: boolean;
  readonly lock: string | null;
  readonly tags: readonly string[];
  readonly cores: number;
  readonly memoryMb: number;
  readonly diskBytes: number;
  readonly cpuUsage: number | null;
  readonly memoryUsedMb: number | null;
  /** Milliseconds since 1970. */
  readonly startedAt: number | null;
  readonly ipAddresses: readonly string[];
  /** Storages of its disks and drives, by name. */
  readonly storages: readonly string[];
  readonly unseenSince: number | null;
  readonly configReadAt: number | null;
  /** What the configuration told when it was last read; null while it never was. */
  readonly identity: StoredIdentity | null;
}

export interface StoredIdentity {
  readonly marks: GuestMarks;
  /** End of the newest task that made or destroyed this VMID, milliseconds since 1970; 0 when none was known. */
  readonly identifiedAt: number;
  /** The platform's overview of the guest at that time: while it says the same, the configuration is not read again. */
  readonly overview: string;
}

export interface StoredNode {
  readonly name: string;
  readonly detailsReadAt: number | null;
  readonly sampledAt: number | null;
}

export interface StoredHost {
  readonly nodes: readonly StoredNode[];
  readonly guests: readonly StoredGuest[];
  /** VMIDs that a job holds, or held since the moment that was asked for: their rows are written by that job. */
  readonly heldVmids: readonly number[];
  /** When this was read, on the database's clock. */
  readonly readAt: string;
  /** End of the last sync that was written, milliseconds since 1970. */
  readonly lastSyncAt: number | null;
}

const ms = (sql: string): string => `extract(epoch from ${sql})::float8 * 1000`;

/** Jobs that begin and end during one sync are among the newest. */
const NEWEST_JOBS = 100;

const STORED = `
  select json_build_object(
    'readAt', now(),
    'lastSyncAt', (select ${ms("last_sync_at")} from host where id = $1),
    'heldVmids', array(
      select vmid from vmid_reservation where host_id = $1
      union select split_part(key, ':', 3)::int from resource_lock where key like 'guest:' || $1::int || ':%'
      union select vmid from (select vmid, finished_at from job where host_id = $1 order by id desc limit ${NEWEST_JOBS}) newest
        where vmid is not null and finished_at >= $2::timestamptz),
    'nodes', (select coalesce(json_agg(json_build_object('name', name,
        'detailsReadAt', ${ms("details_read_at")}, 'sampledAt', ${ms("sampled_at")})), '[]') from node where host_id = $1),
    'guests', (select coalesce(json_agg(guest), '[]') from (
      select g.id, g.type, g.vmid, n.name as node, g.name, g.status, g.template, g.lock, g.tags, g.cores,
        g.memory_mb as "memoryMb", g.disk_bytes as "diskBytes", round(g.cpu_usage::numeric, 4)::float8 as "cpuUsage",
        g.memory_used_mb as "memoryUsedMb", ${ms("g.started_at")} as "startedAt", g.ip_addresses as "ipAddresses", g.storages,
        ${ms("g.unseen_since")} as "unseenSince", ${ms("g.config_read_at")} as "configReadAt", g.identity
      from guest g join node n on n.id = g.node_id where g.host_id = $1 and g.gone_at is null
    ) guest)
  )::text as json`;

/** @param since `readAt` of an earlier reading: VMIDs that a job held in between count as held. */
export async function loadStored(
  database: Pool | ClientBase,
  hostId: number,
  since: string | null = null,
): Promise<StoredHost> {
  const { rows } = await database.query<{ json: string }>({
    name: "inventory-stored",
    text: STORED,
    values: [hostId, since],
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement above builds exactly this shape
  return JSON.parse(rows[0]?.json ?? "null") as StoredHost;
}
