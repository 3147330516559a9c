// Fills a database with a fleet of any size, the same at every run: hosts, nodes with agents, guests, their history.
import type { Pool, PoolClient } from "pg";

/** How large the fleet is. */
export interface FleetSize {
  readonly hosts: number;
  readonly nodesPerHost: number;
  /** Of all hosts together. */
  readonly guests: number;
  /** False: without samples, jobs, migrations, runs and requests. */
  readonly history?: boolean;
}

/** A fleet of so many guests: 50 a node, 20 nodes a host. */
export const fleetOf = (guests: number): FleetSize => {
  const nodes = Math.max(1, Math.ceil(guests / 50));
  const nodesPerHost = Math.min(20, nodes);
  return { hosts: Math.ceil(nodes / nodesPerHost), nodesPerHost, guests };
};

/** Seconds of work that are spread over what is a share or a load: repeatable, and without a pattern that an index could use. */
const spread = (sql: string, upTo: number): string => `(abs(hashint4(${sql})) % ${upTo})`;

/** The token of the agent on a node, by the node's number in the fleet. */
export const agentToken = (node: number): string => `dra_${String(node).padStart(43, "0")}`;

const HOSTS = `
  insert into host (name, hostname, user_name, token_id, secret_encrypted, kind, cluster_name, version, last_sync_at, last_attempt_at)
  select 'host' || lpad(h::text, 4, '0'), 'host' || h || '.example.com', 'root@pam', 'drover', 'none', 'cluster', 'cluster' || h,
    '9.0.3', now(), now()
  from generate_series(1, $1::int) h order by h`;

const NODES = `
  insert into node (host_id, name, status, version, started_at, cpu_cores, cpu_usage, cpu_average_30m, memory_mb, memory_used_mb,
    sampled_at, details_read_at)
  select h.id, 'pve' || h.id || '-' || n, 'online', '9.0.3', now() - interval '40 days', 64, ${spread("h.id * 100 + n", 80)} / 100.0,
    ${spread("h.id * 100 + n", 80)} / 100.0, 524288, 131072 + ${spread("h.id * 100 + n", 262144)}, now(), now()
  from host h, generate_series(1, $1::int) n order by h.id, n`;

const AGENTS = `
  insert into agent (node_id, token_hash, version, healthy, nat_configured, public_address, last_seen_at)
  select id, encode(sha256(convert_to('dra_' || lpad(row_number() over (order by id)::text, 43, '0'), 'UTF8')), 'hex'),
    '1.0.0', true, true, '203.0.113.' || id % 250, now()
  from node`;

const STORAGES = `
  insert into storage (node_id, name, type, content, active, total_bytes, used_bytes, free_bytes)
  select n.id, s.name, s.type, s.content, true, s.total, s.total - free.bytes, free.bytes
  from node n, (values
      ('local', 'dir', '{vztmpl,iso}'::text[], 107374182400), ('local-lvm', 'lvmthin', '{images,rootdir}', 4398046511104),
      ('tank', 'zfspool', '{images,rootdir}', 8796093022208)) s (name, type, content, total),
    lateral (select (s.total / 100 * (20 + ${spread("n.id + length(s.name)", 70)}))::bigint) free (bytes)`;

const NETWORKS = `
  insert into network (node_id, name, type, active, cidr)
  select n.id, 'vmbr' || b, 'bridge', true, case when b = 0 then '192.0.2.' || n.id % 250 || '/24' end
  from node n, generate_series(0, 1) b`;

const FILES = `
  insert into node_file (node_id, storage, volid, content, size_bytes)
  select n.id, 'local', 'local:vztmpl/debian-' || f || '-standard.tar.zst', 'vztmpl', 130000000 from node n, generate_series(11, 13) f`;

const SAMPLES = `
  insert into node_sample (node_id, at, cpu_usage, memory_used_mb)
  select n.id, date_trunc('minute', now()) - m * interval '1 minute', ${spread("n.id * 60 + m", 100)} / 100.0, n.memory_used_mb
  from node n, generate_series(1, 30) m`;

const PLANS = `
  insert into plan (name, cores, memory_mb, disk_gb) select 'Plan ' || p, p, p * 1024, p * 10 from generate_series(1, 8) p`;

/** One customer for 4 guests, one reseller for 10 customers. */
const PEOPLE = `
  with reseller as (
    insert into user_account (email, username, role, password_hash)
    select 'reseller' || r || '@example.com', 'reseller' || r, 'reseller', 'none' from generate_series(1, $1::int / 40 + 1) r
    returning id)
  insert into user_account (email, username, role, password_hash, external_id, created_by)
  select 'customer' || c || '@example.com', 'customer' || c, 'customer', 'none', 'C-' || c, (select min(id) from reseller) + c / 10
  from generate_series(1, $1::int / 4 + 1) c`;

const KEYS = `
  insert into ssh_key (user_id, name, public_key, fingerprint)
  select id, 'laptop', 'ssh-ed25519 AAAA' || id, 'SHA256:' || id from user_account where role = 'customer'`;

/** Guests go to the nodes in turns; a twentieth is stopped, some are containers, templates, safety copies or gone. */
const GUESTS = `
  with place as (
    select id as node_id, host_id, row_number() over (order by id) - 1 as number, count(*) over () as nodes from node)
  insert into guest (host_id, node_id, type, vmid, name, status, tags, cores, memory_mb, disk_bytes, cpu_usage, memory_used_mb,
    started_at, owner_id, plan_id, template, safety_copy, safety_copy_delete_at, gone_at, created_at, config_read_at)
  select p.host_id, p.node_id, case when g % 4 = 0 then 'lxc' else 'qemu' end, 100 + g, 'guest-' || lpad(g::text, 6, '0') || '.example.com',
    case when g % 20 = 0 then 'stopped' else 'running' end, array['web', 'customer' || g % 500], 1 + g % 8, 1024 * (1 + g % 8),
    10737418240::bigint * (1 + g % 8), ${spread("g", 100)} / 100.0, 512 + g % 512, now() - (1 + g % 400) * interval '1 hour',
    (select min(id) from user_account where role = 'customer') + g / 4, (select min(id) from plan) + g % 8, g % 500 = 7, g % 250 = 3,
    case when g % 250 = 3 then now() + interval '3 days' end, case when g % 100 = 9 then now() - interval '1 day' end,
    now() - (1 + g % 400) * interval '1 day', now()
  from generate_series(1, $1::int) g join place p on p.number = g % p.nodes`;

const ZONES = `
  insert into ip_zone (host_id, name, cidr, range_start, range_end, gateway, bridge, total, next_candidate)
  select id, 'public', '10.0.0.0/8', '10.0.0.2', '10.255.255.254', '10.0.0.1', 'vmbr0', 16777213, '10.0.0.2' from host`;

/** Each address counts in its zone's row, one after the other: a fifth of the guests must do. */
const ADDRESSES = `
  insert into ip_address (zone_id, address, guest_id)
  select z.id, '10.0.0.2'::inet + g.id, g.id from guest g join ip_zone z on z.host_id = g.host_id where g.gone_at is null and g.id % 5 = 0`;

const FORWARDS = `
  insert into port_forward (node_id, guest_id, protocol, public_port, guest_port, guest_address)
  select node_id, id, 'tcp', 1024 + (row_number() over (partition by node_id order by id))::int, 22, '10.0.0.2'::inet + id
  from guest where gone_at is null and id % 10 = 0`;

const TOKENS = `
  insert into api_token (name, prefix, token_hash) select 'token ' || t, 'drv_' || t, 'hash ' || t from generate_series(1, 50) t`;

/** One job a guest, nearly all long done. */
const JOBS = `
  insert into job (kind, status, error, host_id, node, vmid, guest_id, progress, created_by_token, created_at, started_at, finished_at)
  select (array['guest_create', 'guest_delete', 'guest_reinstall', 'migration'])[1 + g.id % 4],
    case when g.id % 2000 = 5 then 'queued' when g.id % 50 = 1 then 'failed' else 'done' end,
    case when g.id % 50 = 1 and g.id % 2000 <> 5 then 'the storage is full' end,
    g.host_id, n.name, g.vmid, g.id, 1, (select min(id) from api_token) + g.id % 50, g.created_at, g.created_at,
    case when g.id % 2000 <> 5 then g.created_at + interval '1 minute' end
  from guest g join node n on n.id = g.node_id order by g.id`;

const STEPS = `
  insert into job_step (job_id, name, position, status, finished_at)
  select j.id, s, 1, 'done', now() from job j, unnest(array['create', 'configure', 'start']) s where j.status = 'done'`;

const MIGRATIONS = `
  insert into migration (job_id, guest_id, guest_name, guest_type, vmid, target_vmid, source_host_id, source_node, target_host_id,
    target_node, mode, status, error, created_at, started_at, finished_at)
  select j.id, j.guest_id, 'guest', 'qemu', j.vmid, j.vmid, j.host_id, j.node, 1 + j.host_id % (select max(id) from host), 'pve' || 1 + j.host_id % (select max(id) from host) || '-1', 'live',
    j.status, j.error, j.created_at, j.started_at, j.finished_at
  from job j where j.kind = 'migration' and j.host_id <> 1 + j.host_id % (select max(id) from host)`;

/** An evacuation for 100 moves, each move one of its guests. */
const RUNS = `
  with moved as (select *, (row_number() over (order by id) - 1) / 100 as run_number, (row_number() over (order by id) - 1) % 100 as position
    from migration where status = 'done'),
  made as (
    insert into run (kind, host_id, created_at, started_at, finished_at)
    select 'evacuation', min(source_host_id), min(created_at), min(created_at), max(finished_at) from moved group by run_number order by run_number
    returning id),
  numbered as (select id, row_number() over (order by id) - 1 as run_number from made)
  insert into run_item (run_id, position, guest_id, guest_name, vmid, status, migration_id, from_host_id, from_node, to_host_id, to_node,
    started_at, finished_at)
  select n.id, m.position, m.guest_id, m.guest_name, m.vmid, 'done', m.id, m.source_host_id, m.source_node, m.target_host_id, m.target_node,
    m.started_at, m.finished_at
  from moved m join numbered n using (run_number)`;

const REQUESTS = `
  insert into request_log (at, token_id, token_name, source_ip, method, path, status, duration_ms)
  select now() - r * interval '1 second', 1 + r % 50, 'token ' || 1 + r % 50, '198.51.100.' || r % 250, 'GET',
    '/api/v1/hosts/' || 1 + r % 100 || '/guests', case when r % 97 = 0 then 404 else 200 end, ${spread("r", 50)}
  from generate_series(1, $1::int) r`;

const AGENT_JOBS = `
  insert into agent_job (node_id, kind, status, created_at, deadline, finished_at)
  select id, 'tcp_check', 'done', now(), now(), now() from node, generate_series(1, 3)`;

const STOCK = [AGENTS, STORAGES, NETWORKS, FILES, PLANS, ZONES, TOKENS];
const HISTORY = [SAMPLES, AGENT_JOBS, JOBS, STEPS, MIGRATIONS, RUNS];

/** Fills an empty, migrated database, and has the planner look at it. Times apart, two runs give the same rows. */
export async function fillFleet(pool: Pool, size: FleetSize): Promise<void> {
  const client = await pool.connect();
  try {
    // What fills a table may take longer than what answers a request.
    await client.query("set statement_timeout = 0");
    await fill(client, size);
  } finally {
    client.release(true);
  }
}

async function fill(client: PoolClient, { hosts, nodesPerHost, guests, history = true }: FleetSize): Promise<void> {
  await client.query(HOSTS, [hosts]);
  await client.query(NODES, [nodesPerHost]);
  for (const statement of STOCK) await client.query(statement);
  await client.query(PEOPLE, [guests]);
  await client.query(KEYS);
  await client.query(GUESTS, [guests]);
  await client.query(ADDRESSES);
  await client.query(FORWARDS);
  if (history) {
    for (const statement of HISTORY) await client.query(statement);
    await client.query(REQUESTS, [guests]);
  }
  await client.query("vacuum analyze");
}
