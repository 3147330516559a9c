// What is kept of a captured release: the rows of its database, and its simulated hosts; how they are read, and set up again.
import type { Pool } from "pg";
import type { RunningHost } from "../../simulator/host.js";
import { newGuest, type Guest } from "../../simulator/state/guest.js";
import type { AccessRule, Token } from "../../simulator/state/access.js";
import type { Volume } from "../../simulator/state/storage.js";
import type { Task } from "../../simulator/state/task.js";
import type { Services } from "../../src/context/context.js";

/** A job whose worker was killed. */
export interface KilledJob {
  readonly jobId: number;
  /** With what tells its cases apart, such as `migration qemu running`. */
  readonly kind: string;
  readonly vmid: number;
  /** At which of its statements. */
  readonly stop: number;
}

/** A table: its columns, and its rows in that order. */
interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

interface HostState {
  readonly name: string;
  readonly guests: readonly (Omit<Guest, "pendingDeletes" | "snapshots"> & {
    readonly pendingDeletes: readonly string[];
  })[];
  readonly volumes: readonly Volume[];
  readonly tasks: readonly Task[];
  readonly tokens: readonly (readonly [name: string, token: Token])[];
  readonly rules: readonly AccessRule[];
  readonly roles: readonly (readonly [name: string, privileges: readonly string[]])[];
}

export interface Capture {
  /** Its commit. */
  readonly release: string;
  /** Names of the schema changes that its database has. */
  readonly changes: readonly string[];
  /** Every statement that it was seen to send, in the order of their texts. */
  readonly statements: readonly string[];
  readonly jobs: readonly KilledJob[];
  readonly hosts: readonly HostState[];
  readonly tables: Readonly<Record<string, Table>>;
}

/** What says nothing about jobs, or is made again by itself. */
const LEFT_OUT =
  /^(?:agenda|request_log|schema_change|worker|schedule|task_run|session|placement_change|ip_address_holding)/;

/** What a job reads in the log of a task that has ended. */
const TELLING = /tunnel worker|^TASK/;

const USER = "root@pam";

const ofMoves = (label: string): boolean => label.includes("mig-");

export function hostState({ name, platform }: RunningHost): HostState {
  const { guests, volumes, access } = platform.state;
  return {
    name,
    guests: [...guests.values()].map(({ snapshots: _none, pendingDeletes, ...guest }) => ({
      ...guest,
      pendingDeletes: [...pendingDeletes],
    })),
    volumes: volumes.filter(({ vmid }) => vmid !== null),
    tasks: platform.tasks
      .archive()
      .toReversed()
      .map((task) => ({ ...task, lines: task.lines.filter((line) => TELLING.test(line)) })),
    tokens: [...(access.users.get(USER)?.tokens ?? [])].filter(([token]) => ofMoves(token)),
    rules: access.rules.filter(({ ugid }) => ofMoves(ugid)),
    roles: [...access.roles].filter(([role]) => role.startsWith("Drover")).map(([role, has]) => [role, [...has]]),
  };
}

export async function changesOf({ pool }: Pick<Services, "pool">): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(`select name from schema_change order by name`);
  return rows.map(({ name }) => name);
}

/** All rows, with secrets in the clear: whoever sets them up has a key of their own. */
export async function tablesOf({ pool, secrets }: Pick<Services, "pool" | "secrets">): Promise<Record<string, Table>> {
  const { rows: names } = await pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
  );
  const tables: Record<string, Table> = {};
  for (const { name } of names) {
    if (LEFT_OUT.test(name)) continue;
    const { rows } = await pool.query<{ row: Record<string, unknown> }>(`select to_jsonb(t) as row from "${name}" t`);
    const [first] = rows;
    if (first === undefined) continue;
    const columns = Object.keys(first.row);
    const open = (column: string, value: unknown): unknown =>
      typeof value === "string" && SEALED.has(`${name}.${column}`) ? secrets.open(value, purposeOf(name)) : value;
    tables[name] = { columns, rows: rows.map(({ row }) => columns.map((column) => open(column, row[column]))) };
  }
  return tables;
}

const SEALED: ReadonlySet<string> = new Set(["job.secrets_encrypted", "temporary_token.secret_encrypted"]);

const purposeOf = (table: string): "job.secrets" | "temporary.token" =>
  table === "job" ? "job.secrets" : "temporary.token";

/** Fills a database that has the schema of the captured release, and no rows but the defaults. */
export async function fillTables(
  { pool, secrets }: { pool: Pool; secrets: Services["secrets"] },
  { tables }: Capture,
): Promise<void> {
  const client = await pool.connect();
  try {
    // Nothing announces, counts or checks what is taken over as it was.
    await client.query(`set session_replication_role = replica`);
    for (const [name, { columns, rows }] of Object.entries(tables)) {
      const seal = (column: string, value: unknown): unknown =>
        typeof value === "string" && SEALED.has(`${name}.${column}`) ? secrets.seal(value, purposeOf(name)) : value;
      const records = rows.map((row) =>
        Object.fromEntries(columns.map((column, at) => [column, seal(column, row[at])])),
      );
      const listed = columns.map((column) => `"${column}"`).join(", ");
      await client.query(`delete from "${name}"`);
      await client.query(
        `insert into "${name}" (${listed}) overriding system value
         select ${listed} from jsonb_populate_recordset(null::"${name}", $1::jsonb)`,
        [JSON.stringify(records)],
      );
      const { rows: sequences } = await client.query<{ sequence: string | null }>(
        `select pg_get_serial_sequence($1, 'id') as sequence from information_schema.columns
         where table_schema = 'public' and table_name = $2 and column_name = 'id'`,
        [`public."${name}"`, name],
      );
      const sequence = sequences[0]?.sequence;
      if (sequence) await client.query(`select setval($1, (select max(id) from "${name}"))`, [sequence]);
    }
  } finally {
    await client.query(`reset session_replication_role`);
    client.release();
  }
}

/** Makes a host that was just started what the captured one was. */
export function furnish({ platform }: RunningHost, { guests, volumes, tasks, tokens, rules, roles }: HostState): void {
  const { state } = platform;
  for (const { pendingDeletes, ...known } of guests) {
    const guest = { ...newGuest(known, known.config), ...known, pendingDeletes: new Set(pendingDeletes) };
    state.guests.set(guest.vmid, guest);
  }
  state.volumes.push(...volumes);
  const user = state.access.users.get(USER);
  for (const [name, token] of tokens) user?.tokens.set(name, { ...token, expire: 0 });
  state.access.rules.push(...rules);
  for (const [role, privileges] of roles) state.access.roles.set(role, new Set(privileges));
  recall(platform.tasks, tasks);
}

/** Lets the host know the tasks that the captured one had ended. */
function recall(engine: RunningHost["platform"]["tasks"], tasks: readonly Task[]): void {
  const known = new Map(tasks.map((task) => [task.upid, task]));
  const find = engine.find.bind(engine);
  const archive = engine.archive.bind(engine);
  engine.find = (upid) => find(upid) ?? known.get(upid) ?? null;
  engine.archive = () => [...archive(), ...tasks.toReversed()];
}
