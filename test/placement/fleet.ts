// Puts hosts, nodes and guests into the database for tests of balancing and evacuation: no platform behind them.
import type { Pool } from "pg";

interface FleetNode {
  readonly host: number;
  readonly name: string;
  readonly memoryMb?: number;
  readonly memoryUsedMb?: number;
  /** Average of 30 minutes, 0..1. */
  readonly cpu?: number | null;
  readonly freeGb?: number;
  /** Without one, nothing may move to or from the node. */
  readonly agent?: boolean;
}

interface FleetGuest {
  readonly host: number;
  readonly node: string;
  readonly vmid: number;
  readonly type?: "qemu" | "lxc";
  readonly status?: string;
  readonly memoryMb?: number;
  readonly memoryUsedMb?: number;
  readonly diskGb?: number;
  readonly template?: boolean;
  readonly safetyCopy?: boolean;
  readonly lock?: string | null;
}

/** Makes the nodes, and their hosts named `host<id>`; all were just read and heard from. */
export async function insertNodes(pool: Pool, nodes: readonly FleetNode[]): Promise<void> {
  for (const host of new Set(nodes.map((node) => node.host))) {
    await pool.query(
      `insert into host (id, name, hostname, user_name, secret_encrypted, last_sync_at) overriding system value
       values ($1, $2, $2, 'root@pam', 'sealed', now())`,
      [host, `host${host}`],
    );
  }
  for (const node of nodes) await insertNode(pool, node);
}

async function insertNode(pool: Pool, node: FleetNode): Promise<void> {
  const { host, name, memoryMb = 16_384, memoryUsedMb = 1_024, cpu = 0.1, freeGb = 500, agent = true } = node;
  await pool.query(
    `with n as (
       insert into node (host_id, name, status, version, cpu_cores, cpu_average_30m, sampled_at, memory_mb, memory_used_mb)
       values ($1, $2, 'online', '9.0.0', 8, $3, now(), $4, $5) returning id),
     a as (
       insert into agent (node_id, token_hash, version, healthy, nat_configured, last_seen_at)
       select id, 'agent ' || id, '1.0.0', true, true, now() from n where $7),
     b as (insert into network (node_id, name, type, active) select id, 'vmbr0', 'bridge', true from n)
     insert into storage (node_id, name, type, content, active, total_bytes, used_bytes, free_bytes)
     select id, 'local', 'dir', '{images,rootdir}', true, 1000 * 1073741824::bigint, 0, $6::bigint * 1073741824 from n`,
    [host, name, cpu, memoryMb, memoryUsedMb, freeGb, agent],
  );
}

/** Makes guests. @returns their ids, in order */
export async function insertGuests(pool: Pool, guests: readonly FleetGuest[]): Promise<number[]> {
  const ids: number[] = [];
  for (const guest of guests) ids.push(await insertGuest(pool, guest));
  return ids;
}

async function insertGuest(pool: Pool, guest: FleetGuest): Promise<number> {
  const { type = "qemu", status = "running", memoryMb = 2_048, diskGb = 10 } = guest;
  const { memoryUsedMb = status === "running" ? memoryMb : null, lock = null } = guest;
  const { rows } = await pool.query<{ id: number }>(
    `insert into guest (host_id, node_id, type, vmid, name, status, cores, memory_mb, memory_used_mb, disk_bytes, cpu_usage,
       template, safety_copy, lock)
     select $1, n.id, $3, $4, $12, $5, 2, $6, $7, $8::bigint * 1073741824, 0.1, $9, $10, $11
     from node n where n.host_id = $1 and n.name = $2 returning id`,
    [
      guest.host,
      guest.node,
      type,
      guest.vmid,
      status,
      memoryMb,
      memoryUsedMb,
      diskGb,
      guest.template ?? false,
      guest.safetyCopy ?? false,
      lock,
      `guest${guest.vmid}`,
    ],
  );
  const id = rows[0]?.id;
  if (id === undefined) throw new Error(`host ${guest.host} has no node ${guest.node}`);
  return id;
}
