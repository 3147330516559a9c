// Every kind of write that changes what placement decides on, to be made at random in transactions that overlap.
import type { Pool, PoolClient } from "pg";

/** Each writes rows of its own, so that none waits for another that a test lets go on later. */
export const LANES = 3;

/** What a write is made with. */
interface Chance {
  readonly lane: number;
  /** Decides on rows and values, 0..1000. */
  readonly pick: number;
  readonly now: Date;
}

interface Write {
  /** Whether it is made while no transaction is open, as it would wait for any. */
  readonly alone: boolean;
  run(database: Pool | PoolClient, chance: Chance): Promise<unknown>;
}

type Named = readonly [what: string, write: Write];

const sql = (what: string, text: string, alone = false): Named => [
  what,
  {
    alone,
    run: (database, { lane, pick, now }) =>
      database.query(`with given as (select $1::int as lane, $2::int as pick, $3::timestamptz as present) ${text}`, [
        lane,
        pick,
        now,
      ]),
  },
];

const alone = (what: string, text: string): Named => sql(what, text, true);

const mine = (table: string): string => `from given where ${table}.id % ${LANES} = given.lane`;
const agentOfMine = `from given where agent.node_id % ${LANES} = given.lane`;

/** By what happens. */
export const writes: ReadonlyMap<string, Write> = new Map([
  sql("load", `update node set memory_used_mb = pick, cpu_average_30m = pick / 1000.0 ${mine("node")}`),
  sql("samples that grow old", `update node set sampled_at = present - pick * interval '4 seconds' ${mine("node")}`),
  sql(
    "a node's size",
    `update node set cpu_cores = pick, memory_mb = pick * 64 ${mine("node")} and node.id % 2 = pick % 2`,
  ),
  sql(
    "a node goes down or up",
    `update node set status = case when pick % 2 = 0 then 'offline' else 'online' end ${mine("node")}`,
  ),
  sql(
    "a node comes",
    `insert into node (host_id, name) select h.id, 'new' || gen_random_uuid() from host h, given where h.id % ${LANES} = lane`,
  ),
  alone(
    "nodes leave",
    `delete from node using given where not exists (select from guest g where g.node_id = node.id) and node.id % 3 = pick % 3`,
  ),
  sql("room on storages", `update storage set free_bytes = pick * 1e9, total_bytes = 2e12 ${mine("storage")}`),
  sql(
    "storages are switched",
    `update storage set active = pick % 3 > 0, content = case when pick % 2 = 0 then '{images}'::text[] else '{rootdir,images}' end ${mine("storage")}`,
  ),
  sql("storages are shared or not", `update storage set shared = pick % 2 = 0 ${mine("storage")}`),
  sql(
    "a storage comes",
    `insert into storage (node_id, name, type, content, active, total_bytes, free_bytes) select n.id, 'new' || gen_random_uuid(), 'dir', '{images}', true, 1e12, 5e11 from node n, given where n.id % ${LANES} = lane`,
  ),
  sql(
    "storages leave",
    `delete from storage using given where storage.id % ${LANES} = lane and storage.id % 5 = pick % 5`,
  ),
  sql("beats", `update agent set last_seen_at = present - pick * interval '1 second' ${agentOfMine}`),
  sql(
    "what agents say",
    `update agent set healthy = pick % 2 = 0, version = case when pick % 3 = 0 then '0.9.0' else '1.0.0' end ${agentOfMine}`,
  ),
  sql(
    "an agent's token goes",
    `delete from agent using given where agent.node_id % ${LANES} = lane and agent.node_id % 2 = pick % 2`,
  ),
  sql(
    "an agent comes",
    `insert into agent (node_id, token_hash) select n.id, 'new' || gen_random_uuid() from node n, given where n.id % ${LANES} = lane on conflict (node_id) do update set token_hash = excluded.token_hash`,
  ),
  sql(
    "guests come",
    `insert into guest (host_id, node_id, type, vmid) select n.host_id, n.id, 'lxc', (abs(hashtext(gen_random_uuid()::text)) % 900000000) + 1000 from node n, given where n.id % ${LANES} = lane and n.id % 2 = pick % 2`,
  ),
  sql("guests vanish", `update guest set gone_at = present ${mine("guest")} and guest.id % 2 = pick % 2`),
  sql("guests come back", `update guest set gone_at = null ${mine("guest")} and guest.vmid >= 1000`),
  sql("safety copies", `update guest set safety_copy = pick % 2 = 0 ${mine("guest")}`),
  sql(
    "guests move",
    `update guest g set host_id = n.host_id, node_id = n.id from given, node n where g.id % ${LANES} = lane and n.id = (select id from node order by (id * pick) % 7, id limit 1) and g.gone_at is not null`,
  ),
  sql(
    "guests are forgotten",
    `delete from guest using given where guest.id % ${LANES} = lane and (guest.gone_at is not null or guest.id % 7 = pick % 7)`,
  ),
  sql(
    "guests grow",
    `update guest set memory_mb = pick, disk_bytes = pick * 1e9, status = case when pick % 2 = 0 then 'running' else 'stopped' end ${mine("guest")}`,
  ),
  sql("hosts are switched off or on", `update host set active = pick % 3 > 0 ${mine("host")}`),
  sql(
    "maintenance",
    `update host set maintenance = pick % 2 = 0, maintenance_since = case when pick % 2 = 0 then present end ${mine("host")}`,
  ),
  sql(
    "a sync ends",
    `update host set last_sync_at = present - pick * interval '1 second', last_sync_error = null ${mine("host")}`,
  ),
  sql("a host was never read", `update host set last_sync_at = null ${mine("host")}`),
  alone("hosts are renamed", `update host set name = 'renamed' || id || ' ' || pick ${mine("host")}`),
  sql(
    "a host comes",
    `, h as (insert into host (name, hostname, user_name, secret_encrypted) select 'new' || u, u, 'u', 's' from (select gen_random_uuid()::text as u) v returning id) insert into node (host_id, name) select id, 'first' from h`,
  ),
  alone(
    "a host goes",
    `, gone as (select h.id from host h, given where h.id > 2 order by (h.id * pick) % 7, h.id limit 1), guests as (delete from guest using gone where host_id = gone.id) delete from host using gone where host.id = gone.id`,
  ),
  sql(
    "room is reserved for a job",
    `, j as (insert into job (kind) values ('guest_create') returning id) insert into capacity_reservation (job_id, node_id, storage, memory_mb, disk_bytes) select j.id, n.id, 'local', pick, pick * 1e9 from j, given, node n where n.id = (select id from node order by (id * pick) % 11, id limit 1)`,
  ),
  sql(
    "jobs end",
    `update job set status = 'done', finished_at = present - pick * interval '1 second' ${mine("job")} and finished_at is null`,
  ),
  sql(
    "reservations are given back",
    `delete from capacity_reservation using given where job_id % ${LANES} = lane and job_id % 2 = pick % 2`,
  ),
  sql(
    "guests wait for their turn in a run",
    `, j as (insert into job (kind) values ('balance_run') returning id), r as (insert into run (kind, job_id) select 'balance_run', id from j returning id) insert into run_item (run_id, position, guest_id, guest_name, vmid, from_host_id, from_node, to_host_id, to_node, to_storage) select r.id, 1, g.id, g.name, g.vmid, g.host_id, 'any', n.host_id, n.name, 'local' from r, given, guest g, node n where g.id = (select min(id) from guest where id % ${LANES} = given.lane and id not in (select guest_id from run_item)) and n.id = (select id from node order by (id * pick) % 13, id limit 1)`,
  ),
  sql(
    "runs go on",
    `update run_item set status = 'skipped', reason = 'no', finished_at = present from given, run
     where run.id = run_item.run_id and run.job_id % ${LANES} = lane and run_item.status = 'waiting'`,
  ),
  alone("weights", `update setting set ram_weight = (pick + 1) / 1000.0, storage_weight = 0.1 from given`),
  sql(
    "a plan changes",
    `insert into plan (name, cores, memory_mb, disk_gb) select gen_random_uuid()::text, 1, pick + 1, 1 from given`,
  ),
]);
