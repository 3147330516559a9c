// Rows that a test begins with. A test gives of each row what the test is about; the rest is plain, and passes the checks of the schema.
import { sql, type RawBuilder } from "kysely";
import { rowsOf, written, type Connection, type NewRow, type Row, type Tables } from "../../src/store/tables.js";

/** A moment of the service's clock, which the database has. */
type Moment = RawBuilder<Date>;

/** Columns of a row of this table; what is left out is plain. */
export type Given<Table extends keyof Tables> = {
  readonly [Column in keyof NewRow<Table>]?:
    | NewRow<Table>[Column]
    | (Date extends NewRow<Table>[Column] ? Moment : never);
};

/** So many seconds from now; before now if negative. */
export const fromNow = (seconds: number): Moment => sql`service_now() + ${seconds}::int * interval '1 second'`;

const NOW = fromNow(0);

/** What a row has unless a test says otherwise. It belongs to the first host, node, guest, zone and job. */
const PLAIN = {
  user_account: ({ username = "ann" }) => ({ username, email: `${username}@example`, password_hash: "hash" }),
  api_token: ({ name = "test" }) => ({ name, prefix: `drv_${name}`, token_hash: `hash of ${name}` }),
  session: ({ user_id = 1 }) => ({ user_id, token_hash: `hash of session ${user_id}`, expires_at: fromNow(3600) }),
  sign_in: () => ({ user_id: 1, source_ip: "203.0.113.5", outcome: "signed_in" }),
  known_address: () => ({ user_id: 1, network: "203.0.113.5", last_at: NOW }),
  totp: () => ({ user_id: 1, secret_encrypted: "sealed" }),
  recovery_code: ({ code_hash = "hash of a code" }) => ({ user_id: 1, code_hash }),
  ssh_key: () => ({ user_id: 1, name: "laptop", public_key: "ssh-ed25519 AAAA", fingerprint: "SHA256:abc" }),
  plan: () => ({ name: "small", cores: 2, memory_mb: 2048, disk_gb: 10, runtime_days: 30 }),
  host: ({ name = "alpha" }) => ({
    name,
    hostname: `${name}.example`,
    user_name: "root@pam",
    secret_encrypted: "sealed",
  }),
  node: () => ({ host_id: 1, name: "pve1" }),
  node_sample: () => ({ node_id: 1, at: NOW, cpu_usage: 0, memory_used_mb: 0 }),
  reseller_node: () => ({ user_id: 1, node_id: 1 }),
  agent: ({ node_id = 1 }) => ({ node_id, token_hash: `hash of agent ${node_id}`, version: "1.0.0" }),
  storage: () => ({ node_id: 1, name: "local", type: "dir" }),
  network: () => ({ node_id: 1, name: "vmbr0", type: "bridge" }),
  node_file: () => ({ node_id: 1, storage: "local", volid: "local:vztmpl/debian-12.tar.zst", content: "vztmpl" }),
  guest: () => ({ host_id: 1, node_id: 1, type: "qemu", vmid: 100 }),
  os_template: () => ({ host_id: 1, node_id: 1, vmid: 9000, name: "debian-12" }),
  ct_template: () => ({ name: "debian-12", volid: "local:vztmpl/debian-12.tar.zst" }),
  ip_zone: ({ range_start = "10.0.0.2" }) => ({
    host_id: 1,
    name: "lan",
    cidr: "10.0.0.0/24",
    range_start,
    range_end: "10.0.0.9",
    bridge: "vmbr0",
    total: "8",
    next_candidate: range_start,
  }),
  job: ({ status = "queued" }) => ({
    kind: "guest_create",
    host_id: 1,
    status,
    ...(status !== "queued" && { started_at: NOW }),
    ...((status === "done" || status === "failed") && { finished_at: NOW }),
    ...(status === "failed" && { error: "why" }),
  }),
  job_step: ({ status = "done" }) => ({
    job_id: 1,
    name: "clone",
    position: 1,
    status,
    ...(status !== "running" && { finished_at: NOW }),
  }),
  clone_turn: () => ({ job_id: 1, host_id: 1, vmid: 9000 }),
  agent_job: ({ status = "waiting" }) => ({
    node_id: 1,
    kind: "tcp_check",
    deadline: fromNow(3600),
    status,
    ...(status !== "waiting" && { finished_at: NOW }),
    ...(status === "failed" && { error: "why" }),
  }),
  resource_lock: () => ({ job_id: 1 }),
  vmid_reservation: () => ({ host_id: 1, job_id: 1 }),
  capacity_reservation: () => ({ job_id: 1, node_id: 1, storage: "local", memory_mb: 1, disk_bytes: 1 }),
  ip_address: () => ({ zone_id: 1 }),
  port_forward: () => ({ node_id: 1, guest_id: 1, protocol: "tcp", guest_port: 80, guest_address: "10.0.0.4" }),
  temporary_token: () => ({ host_id: 1, user_name: "root@pam", token_name: "mig-1", expires_at: NOW }),
  run: ({ kind = "evacuation" }) => ({ kind, host_id: kind === "evacuation" ? 1 : null }),
  migration: () => ({
    guest_id: 1,
    guest_name: "",
    guest_type: "qemu",
    vmid: 100,
    target_vmid: 100,
    source_host_id: 1,
    source_node: "pve1",
    target_host_id: 2,
    target_node: "pve1",
    mode: "live",
  }),
  run_item: ({ status = "waiting" }) => ({
    run_id: 1,
    position: 1,
    guest_id: 1,
    guest_name: "",
    vmid: 100,
    from_host_id: 1,
    from_node: "pve1",
    status,
    ...(status !== "waiting" && status !== "running" && { finished_at: NOW }),
  }),
  ip_address_holding: () => ({ host_id: 1, zone_id: 1, zone_name: "lan", address: "10.0.0.2" }),
  request_log: () => ({
    at: NOW,
    source_ip: "192.0.2.1",
    method: "GET",
    path: "/api/v1/hosts",
    status: 200,
    duration_ms: 1,
  }),
  request_log_budget: () => ({ size_bytes: 0 }),
  worker: () => ({ name: "w", queues: [] }),
  task_run: () => ({ name: "sweep", started_at: NOW }),
} satisfies { readonly [Table in keyof Tables]?: (given: Given<Table>) => Given<Table> };

type PlainTable = keyof typeof PLAIN;
export type Rows = { readonly [Table in PlainTable]?: readonly Given<Table>[] };

const isPlain = (name: string): name is PlainTable => name in PLAIN;

/** Plants these rows; what a row belongs to is planted before it. The ids of a new database begin with 1. */
export async function plant(connection: Connection, rows: Rows): Promise<void> {
  for (const table of Object.keys(PLAIN).filter(isPlain)) {
    const given = rows[table] ?? [];
    if (given.length > 0) await written(connection, insertOf(table, given));
  }
}

/** Plants one row. @returns it, whole */
export async function planted<Table extends PlainTable>(
  connection: Connection,
  table: Table,
  given: Given<Table> = {},
): Promise<Row<Table>> {
  const [row] = await rowsOf(connection, insertOf(table, [given]));
  if (row === undefined) throw new Error(`no row of ${table} was inserted`);
  return row;
}

function insertOf<Table extends PlainTable>(table: Table, given: readonly Given<Table>[]) {
  const rows = given.map((row) => ({ ...PLAIN[table](row), ...row }));
  const columns = [...new Set(rows.flatMap(Object.keys))];
  const valuesOf = (row: object) =>
    columns.map((column) => (column in row ? sql`${Reflect.get(row, column)}` : sql`default`));
  return sql<Row<Table>>`
    insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
    values ${sql.join(rows.map((row) => sql`(${sql.join(valuesOf(row))})`))} returning *`;
}
