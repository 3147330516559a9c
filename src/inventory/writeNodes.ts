// Writes what was observed of a host's nodes: the nodes, their storages, networks, files and samples; bulk statements only.
import type { PoolClient } from "pg";
import { NodeStatus } from "../core/enums.js";
import { MIB } from "../core/units.js";
import type { Observation } from "./observe.js";

const NODES = `
  insert into node (host_id, name, status, started_at, cpu_cores, cpu_usage, memory_mb, memory_used_mb)
  select $1, name, status, $3::timestamptz - uptime * interval '1 second', cores, cpu, memory, used
  from json_to_recordset($2) as o (name text, status text, uptime float8, cores int, cpu float8, memory int, used int)
  on conflict (host_id, name) do update set status = excluded.status,
    started_at = case when abs(extract(epoch from excluded.started_at - node.started_at)) < 10 then node.started_at else excluded.started_at end,
    cpu_cores = case when excluded.cpu_cores > 0 then excluded.cpu_cores else node.cpu_cores end,
    cpu_usage = excluded.cpu_usage,
    memory_mb = case when excluded.memory_mb > 0 then excluded.memory_mb else node.memory_mb end,
    memory_used_mb = excluded.memory_used_mb`;

/** A node that left the cluster goes as soon as nothing is on it. Both the cluster and its resources must lack it. */
const LOST_NODES = `
  with lost as (update node set status = 'unknown' where host_id = $1 and name <> all($2) and status <> 'unknown')
  delete from node n where n.host_id = $1 and n.name <> all($2)
    and not exists (select 1 from guest g where g.node_id = n.id)
    and not exists (select 1 from os_template t where t.node_id = n.id)`;

// The platform's own minute averages replace what was sampled meanwhile.
const SAMPLES = `
  insert into node_sample (node_id, at, cpu_usage, memory_used_mb)
  select n.id, date_trunc('minute', to_timestamp(o.at)), avg(o.cpu), avg(o.used)::int
  from json_to_recordset($3) as o (node text, at float8, cpu float8, used float8)
  join node n on n.host_id = $1 and n.name = o.node group by 1, 2
  on conflict (node_id, at) do update set cpu_usage = excluded.cpu_usage, memory_used_mb = excluded.memory_used_mb
  where (node_sample.cpu_usage, node_sample.memory_used_mb) is distinct from (excluded.cpu_usage, excluded.memory_used_mb)`;

/** What is on a node that is away cannot be used, and has no figures, whether the host still tells of it or not. */
const STORAGES_AND_SAMPLES = `
  with sampled as (${SAMPLES}), observed as (
    select n.id as node_id, o.name, o.type, o.content, o.shared, o.active and n.status <> 'offline' as active, o.total, o.used
    from json_to_recordset($2) as o
      (node text, name text, type text, content text[], shared boolean, active boolean, total bigint, used bigint)
    join node n on n.host_id = $1 and n.name = o.node
  ), away as (
    update storage s set active = false, total_bytes = 0, used_bytes = 0, free_bytes = 0 from node n
    where n.id = s.node_id and n.host_id = $1 and n.status <> 'online' and s.active
      and not exists (select 1 from observed o where o.node_id = s.node_id and o.name = s.name)
  ), gone as (
    delete from storage s using node n where n.id = s.node_id and n.host_id = $1 and n.status = 'online'
      and not exists (select 1 from observed o where o.node_id = s.node_id and o.name = s.name)
  )
  insert into storage (node_id, name, type, content, shared, active, total_bytes, used_bytes, free_bytes)
  select node_id, name, type, content, shared, active, total, used, greatest(total - used, 0) from observed
  on conflict (node_id, name) do update set type = excluded.type, content = excluded.content, shared = excluded.shared,
    active = excluded.active, total_bytes = excluded.total_bytes, used_bytes = excluded.used_bytes, free_bytes = excluded.free_bytes
  where (storage.type, storage.content, storage.shared, storage.active, storage.total_bytes, storage.used_bytes)
    is distinct from (excluded.type, excluded.content, excluded.shared, excluded.active, excluded.total_bytes, excluded.used_bytes)`;

const NETWORKS = `
  with observed as (
    select n.id as node_id, o.* from json_to_recordset($2) as o (node text, name text, type text, active boolean, cidr text)
    join node n on n.host_id = $1 and n.name = o.node
  ), gone as (
    delete from network w using node n where n.id = w.node_id and n.host_id = $1 and n.name = any($3)
      and not exists (select 1 from observed o where o.node_id = w.node_id and o.name = w.name)
  )
  insert into network (node_id, name, type, active, cidr) select node_id, name, type, active, cidr from observed
  on conflict (node_id, name) do update set type = excluded.type, active = excluded.active, cidr = excluded.cidr
  where (network.type, network.active, network.cidr) is distinct from (excluded.type, excluded.active, excluded.cidr)`;

const FILES = `
  with observed as (
    select n.id as node_id, o.* from json_to_recordset($2) as o (node text, storage text, volid text, content text, size bigint)
    join node n on n.host_id = $1 and n.name = o.node
  ), gone as (
    delete from node_file f using node n where n.id = f.node_id and n.host_id = $1 and n.name = any($3)
      and n.name || '/' || f.storage <> all($4)
      and not exists (select 1 from observed o where o.node_id = f.node_id and o.volid = f.volid)
  )
  insert into node_file (node_id, storage, volid, content, size_bytes) select node_id, storage, volid, content, size from observed
  on conflict (node_id, volid) do update set size_bytes = excluded.size_bytes where node_file.size_bytes <> excluded.size_bytes`;

const DETAILS_READ = `
  update node n set version = o.version, details_read_at = $3
  from json_to_recordset($2) as o (node text, version text) where n.host_id = $1 and n.name = o.node`;

interface SeenNodes {
  readonly hostId: number;
  readonly now: Date;
  readonly observation: Observation;
  /** Names of the nodes on record. */
  readonly known: readonly string[];
}

/** Nodes, storages and samples; details only of the nodes that were asked for them. */
export async function writeNodes(client: PoolClient, { hostId, now, observation, known }: SeenNodes): Promise<void> {
  const { resources, cluster, details } = observation;
  const members = new Set([...resources.nodes, ...cluster.nodes].map(({ name }) => name));
  const nodes = JSON.stringify(resources.nodes.map(nodeRecord));
  await client.query({ name: "inventory-nodes", text: NODES, values: [hostId, nodes, now] });
  if (known.some((name) => !members.has(name))) await client.query(LOST_NODES, [hostId, [...members]]);
  await client.query({
    name: "inventory-storages",
    text: STORAGES_AND_SAMPLES,
    values: [hostId, JSON.stringify(storageRecords(observation)), JSON.stringify(samples(observation, now))],
  });
  if (details.length > 0) await writeDetails(client, hostId, observation, now);
}

async function writeDetails(client: PoolClient, hostId: number, { details }: Observation, now: Date): Promise<void> {
  const asked = details.map(({ node }) => node);
  const networks = details.flatMap(({ node, networks: found }) => found.map((network) => ({ node, ...network })));
  const files = details.flatMap(({ node, files: found }) =>
    found.map(({ sizeBytes, ...file }) => ({ node, ...file, size: sizeBytes })),
  );
  await client.query(NETWORKS, [hostId, JSON.stringify(networks), asked]);
  const unread = details.flatMap(({ node, unreadStorages }) => unreadStorages.map((storage) => `${node}/${storage}`));
  await client.query(FILES, [hostId, JSON.stringify(files), asked, unread]);
  const versions = details.map(({ node, version: { version } }) => ({ node, version }));
  await client.query(DETAILS_READ, [hostId, JSON.stringify(versions), now]);
}

const nodeRecord = (node: Observation["resources"]["nodes"][number]) => ({
  name: node.name,
  status: node.status,
  uptime: node.uptimeSeconds,
  cores: node.cpuCores,
  cpu: node.cpuUsage,
  memory: Math.floor(node.memoryBytes / MIB),
  used: Math.ceil(node.memoryUsedBytes / MIB),
});

const storageRecords = ({ resources }: Observation) =>
  resources.storages.map(({ totalBytes, usedBytes, ...storage }) => ({
    ...storage,
    total: totalBytes,
    used: usedBytes,
  }));

/** The platform's history, and the present minute as it was just seen: the history lags by one or two. */
function samples({ resources, histories }: Observation, now: Date) {
  const present = resources.nodes
    .filter(({ status }) => status === NodeStatus.ONLINE)
    .map((node) => ({
      node: node.name,
      at: now.getTime() / 1000,
      cpu: node.cpuUsage,
      used: node.memoryUsedBytes / MIB,
    }));
  const past = histories.flatMap(({ node, samples: found }) =>
    found.map((sample) => ({
      node,
      at: sample.at / 1000,
      cpu: sample.cpuUsage,
      used: sample.memoryUsedBytes / MIB,
    })),
  );
  const known = new Set(past.map(({ node, at }) => `${node} ${minute(at)}`));
  return [...past, ...present.filter(({ node, at }) => !known.has(`${node} ${minute(at)}`))];
}

const minute = (seconds: number): number => Math.floor(seconds / 60);
