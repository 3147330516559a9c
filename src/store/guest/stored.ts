// A guest as the inventory holds it, how its row is read, and how much of it is kept in memory.
import type { ClientBase, Pool } from "pg";
import type { StoredIdentity } from "../../core/inventory/identity.js";
import type { GuestStatus, GuestType } from "../../core/enums.js";
import { VERSION } from "./observed.js";

interface ComparedGuest {
  readonly id: number;
  /** Which transaction wrote the row, of the database's own counting: another one, another content. */
  readonly version: number;
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
  readonly cpuUsage: number | null;
  readonly memoryUsedMb: number | null;
  /** Milliseconds since 1970. */
  readonly startedAt: number | null;
  readonly unseenSince: number | null;
  readonly configReadAt: number | null;
}

/** What each sync compares with the platform's overview: kept in memory of every guest, so no more than that. */
export interface KnownGuest extends ComparedGuest {
  /** `GuestIdentity`'s; null while the configuration never was read. */
  readonly overview: string | null;
  /** `GuestIdentity`'s; null of records of earlier versions too. */
  readonly tasks: readonly string[] | null;
}

/** What differs at most syncs, of a guest to which nothing happens too. */
export type GuestLoad = Pick<KnownGuest, "cpuUsage" | "memoryUsedMb" | "startedAt">;

/** A guest of which nothing has changed but its load. */
export interface ChangedLoad {
  readonly guest: KnownGuest;
  readonly load: GuestLoad;
}

/** The whole row, read when there is something to write. */
export interface StoredGuest extends ComparedGuest {
  readonly diskBytes: number;
  /** What the system disk has of it; null: not known. */
  readonly systemDiskBytes: number | null;
  /** Keys of the data disks that `diskBytes` does not count, since their size is not known; null: no configuration was read yet. */
  readonly unsizedDisks: readonly string[] | null;
  readonly ipAddresses: readonly string[];
  /** Storages of its disks and drives, by name. */
  readonly storages: readonly string[];
  /** The configuration when it was last read; null if it never was. */
  readonly identity: GuestIdentity | null;
}

/** What a guest is recognised by, and what its configuration was read for. */
export interface GuestIdentity extends StoredIdentity {
  /** The platform's overview of the guest at that time: while it says the same, the configuration is not read again. */
  readonly overview: string;
}

/** A moment as milliseconds since 1970. */
export const ms = (sql: string): string => `(extract(epoch from ${sql}) * 1000)::float8`;

/** One row, a JSON array: the guests of the host `$1` with the VMIDs `$2`. */
const guests = (more: string): string => `
  select coalesce(json_agg(guest), '[]') as json from (
    select g.id, g.${VERSION} as version, g.type, g.vmid, n.name as node, g.name, g.status, g.template, g.lock, g.tags, g.cores,
      g.memory_mb as "memoryMb", round(g.cpu_usage::numeric, 4)::float8 as "cpuUsage", g.memory_used_mb as "memoryUsedMb",
      ${ms("g.started_at")} as "startedAt", ${ms("g.unseen_since")} as "unseenSince", ${ms("g.config_read_at")} as "configReadAt", ${more}
    from guest g join node n on n.id = g.node_id where g.host_id = $1 and g.gone_at is null and g.vmid = any($2)
  ) as guest`;

/** `KnownGuest`s. */
export const KNOWN_GUESTS = guests(`g.identity -> 'overview' as overview, g.identity -> 'tasks' as tasks`);

const STORED_GUESTS = guests(
  `g.disk_bytes as "diskBytes", g.system_disk_bytes as "systemDiskBytes", g.unsized_disks as "unsizedDisks", g.ip_addresses as "ipAddresses", g.storages, g.identity`,
);

/** Those of the VMIDs that are on record and not gone. */
export async function loadKnownGuests(
  database: Pool | ClientBase,
  hostId: number,
  vmids: readonly number[],
): Promise<KnownGuest[]> {
  const values = [hostId, vmids];
  const statement = { name: "inventory-known-guests", text: KNOWN_GUESTS, values };
  const { rows } = await database.query<{ json: KnownGuest[] }>(statement);
  return rows[0]?.json ?? [];
}

/** The same, as whole rows. */
export async function loadStoredGuests(
  database: Pool | ClientBase,
  hostId: number,
  vmids: readonly number[],
): Promise<StoredGuest[]> {
  const values = [hostId, vmids];
  const statement = { name: "inventory-stored-guests", text: STORED_GUESTS, values };
  const { rows } = await database.query<{ json: StoredGuest[] }>(statement);
  return rows[0]?.json ?? [];
}
