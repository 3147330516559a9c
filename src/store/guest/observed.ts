// Guests as a sync has observed them: whole rows, loads of those that are otherwise unchanged, and guests that are out of sight.
import { sql } from "kysely";
import { GuestStatus, type GuestType } from "../../core/enums.js";
import { tables, written, type Connection, type Tables } from "../tables.js";

/** A guest as the sync wants it on record. Moments are milliseconds since 1970. */
export interface ObservedRow {
  readonly type: GuestType;
  readonly vmid: number;
  /** Name of a node of the host. */
  readonly node: string;
  readonly name: string;
  readonly status: GuestStatus;
  readonly template: boolean;
  readonly lock: string | null;
  readonly tags: readonly string[];
  readonly cores: number;
  readonly memoryMb: number;
  readonly diskBytes: number;
  readonly systemDiskBytes: number | null;
  readonly unsizedDisks: readonly string[] | null;
  readonly cpuUsage: number | null;
  readonly memoryUsedMb: number | null;
  readonly startedAt: number | null;
  readonly ipAddresses: readonly string[];
  readonly storages: readonly string[];
  readonly unseenSince: number | null;
  readonly configReadAt: number | null;
  readonly identity: object | null;
}

/** How a column is filled: from which property of an `ObservedRow`, of which type in JSON, as which expression. */
interface Source {
  readonly property: keyof ObservedRow;
  readonly type: string;
  readonly value: string;
}

const from = (property: keyof ObservedRow, type: string): Source => ({ property, type, value: `o."${property}"` });

const fromMoment = (property: keyof ObservedRow): Source => ({
  property,
  type: "float8",
  value: `to_timestamp(o."${property}" / 1000)`,
});

/** What a sync may change of a guest. */
const CHANGEABLE = {
  name: from("name", "text"),
  status: from("status", "text"),
  template: from("template", "boolean"),
  lock: from("lock", "text"),
  tags: from("tags", "text[]"),
  cores: from("cores", "int"),
  memory_mb: from("memoryMb", "int"),
  disk_bytes: from("diskBytes", "bigint"),
  system_disk_bytes: from("systemDiskBytes", "bigint"),
  unsized_disks: from("unsizedDisks", "text[]"),
  cpu_usage: from("cpuUsage", "float4"),
  memory_used_mb: from("memoryUsedMb", "int"),
  started_at: fromMoment("startedAt"),
  ip_addresses: from("ipAddresses", "text[]"),
  storages: from("storages", "text[]"),
  unseen_since: fromMoment("unseenSince"),
  config_read_at: fromMoment("configReadAt"),
  identity: from("identity", "jsonb"),
} satisfies Partial<Record<keyof Tables["guest"], Source>>;

const sources: readonly Source[] = Object.values(CHANGEABLE);
const columns = Object.keys(CHANGEABLE);

/** The rows in `$2`, each with its node of the host `$1`. In SQL: the columns come from the list above. */
const ROWS = `json_to_recordset($2) as o (id int, type text, vmid int, node text,
    ${sources.map(({ property, type }) => `"${property}" ${type}`).join(", ")})
  join node n on n.host_id = $1 and n.name = o.node`;

const INSERT = `
  insert into guest (host_id, node_id, type, vmid, ${columns.join(", ")})
  select $1, n.id, o.type, o.vmid, ${sources.map(({ value }) => value).join(", ")} from ${ROWS}
  on conflict (host_id, vmid) where gone_at is null do nothing`;

const UPDATE = `
  update guest g set node_id = n.id, gone_at = null,
    ${columns.map((column, index) => `${column} = ${sources[index]?.value}`).join(", ")}
  from ${ROWS} where g.id = o.id`;

/** Records new guests of a host. A VMID that another transaction has recorded meanwhile is left to the next sync. */
export async function insert(connection: Connection, hostId: number, rows: readonly ObservedRow[]): Promise<void> {
  if (rows.length === 0) return;
  await connection.query({ name: "guests-insert", text: INSERT, values: [hostId, JSON.stringify(rows)] });
}

/** Updates guests of a host, and restores those that were gone. The caller holds the host's inventory lock. */
export async function update(
  connection: Connection,
  hostId: number,
  rows: readonly (ObservedRow & { readonly id: number })[],
): Promise<void> {
  if (rows.length === 0) return;
  await connection.query({ name: "guests-update", text: UPDATE, values: [hostId, JSON.stringify(rows)] });
}

/** The version of a row of `guest`: the transaction that wrote it. */
export const VERSION = `xmin::text::bigint`;

/** The load of a guest, if its row still has that version. */
export interface VersionedLoad {
  readonly id: number;
  readonly version: number;
  readonly cpuUsage: number | null;
  readonly memoryUsedMb: number | null;
  /** Milliseconds since 1970. */
  readonly startedAt: number | null;
}

// Only columns without an index change, and the rows find room on their page: no index is touched. In SQL, whose arrays the driver
// takes as texts: it needs ten times as long to write arrays of numbers.
const UPDATE_LOADS = `
  update guest g set cpu_usage = o.cpu, memory_used_mb = o.memory, started_at = to_timestamp(o.started / 1000)
  from unnest($1::int[], $2::bigint[], $3::real[], $4::int[], $5::float8[]) as o (id, version, cpu, memory, started)
  where g.id = o.id and g.${VERSION} = o.version`;

/** Updates the loads of guests. A row that another transaction has written since it was read is left to the next sync. */
export async function updateLoads(connection: Connection, loads: readonly VersionedLoad[]): Promise<void> {
  if (loads.length === 0) return;
  const values = [
    column(loads, ({ id }) => id),
    column(loads, ({ version }) => version),
    column(loads, ({ cpuUsage }) => cpuUsage),
    column(loads, ({ memoryUsedMb }) => memoryUsedMb),
    column(loads, ({ startedAt }) => startedAt),
  ];
  await connection.query({ name: "guests-loads", text: UPDATE_LOADS, values });
}

/** A PostgreSQL array of numbers as text. */
const column = (loads: readonly VersionedLoad[], figure: (load: VersionedLoad) => number | null): string =>
  `{${loads.map((load) => figure(load) ?? "NULL").join(",")}}`;

/** Records that a sync did not see guests that may still exist. */
export async function markUnseen(connection: Connection, ids: readonly number[], at: Date): Promise<void> {
  await written(
    connection,
    tables
      .updateTable("guest")
      .set({
        status: GuestStatus.UNKNOWN,
        cpu_usage: null,
        memory_used_mb: null,
        started_at: null,
        unseen_since: sql<Date>`coalesce(unseen_since, ${at})`,
      })
      .where("id", "=", sql<number>`any(${ids})`)
      .where("status", "<>", GuestStatus.UNKNOWN),
  );
}
