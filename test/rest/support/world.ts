// What the REST cases find in the database: two hosts with nodes and guests, people, and tokens of every sort.
import type { Pool } from "pg";
import { newBearerToken } from "../../../src/access/bearerToken.js";

/** Guests of host 1: enough for a second page of the default size. */
export const GUESTS_OF_HOST_1 = 60;
/** The container among them. */
export const CONTAINER_VMID = 159;

export interface World {
  readonly tokens: {
    /** Every host, no limit. */
    readonly full: string;
    /** Host 1 only. */
    readonly scoped: string;
    readonly revoked: string;
    readonly expired: string;
    /** Only from 203.0.113.0/24. */
    readonly restricted: string;
    /** Two requests a minute. */
    readonly limited: string;
    readonly agent: string;
  };
}

interface TokenRow {
  readonly name: string;
  readonly allowedIps?: string;
  readonly rateLimit?: number;
  readonly scope?: readonly number[];
  readonly expiresAt?: Date;
  readonly revokedAt?: Date;
}

/** Stores an API token. @returns its value */
export async function storeToken(pool: Pool, token: TokenRow): Promise<string> {
  const { value, hash, prefix } = newBearerToken("apiToken");
  await pool.query(
    `insert into api_token (name, prefix, token_hash, allowed_ips, rate_limit, connection_scope, expires_at, revoked_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      token.name,
      prefix,
      hash,
      token.allowedIps ?? null,
      token.rateLimit ?? null,
      token.scope ?? [],
      token.expiresAt ?? null,
      token.revokedAt ?? null,
    ],
  );
  return value;
}

/** Fills a fresh database. `now` is the present of the service under test. */
export async function fillWorld(pool: Pool, now: Date): Promise<World> {
  await pool.query(INVENTORY);
  const agent = newBearerToken("agent");
  await pool.query(
    `insert into agent (node_id, token_hash, version, healthy, last_seen_at) select id, $1, '1.0.0', true, $2 from node where host_id = 1 and name = 'pve1'`,
    [agent.hash, now],
  );
  const past = new Date(now.getTime() - 1000);
  return {
    tokens: {
      full: await storeToken(pool, { name: "full" }),
      scoped: await storeToken(pool, { name: "scoped", scope: [1] }),
      revoked: await storeToken(pool, { name: "revoked", revokedAt: past }),
      expired: await storeToken(pool, { name: "expired", expiresAt: now }),
      restricted: await storeToken(pool, { name: "restricted", allowedIps: "203.0.113.0/24" }),
      limited: await storeToken(pool, { name: "limited", rateLimit: 2 }),
      agent: agent.value,
    },
  };
}

const INVENTORY = `
  insert into host (name, hostname, user_name, secret_encrypted, last_sync_at)
  values ('alpha', 'alpha.example', 'root@pam', 'sealed', '2026-11-21T11:59:50Z'),
         ('beta', 'beta.example', 'root@pam', 'sealed', '2026-11-21T11:59:50Z');
  insert into node (host_id, name, status, version, cpu_cores, cpu_usage, cpu_average_30m, sampled_at, memory_mb, memory_used_mb)
  values (1, 'pve1', 'online', '8.4.5', 16, 0.25, 0.2, '2026-11-21T11:59:50Z', 65536, 16384),
         (1, 'pve2', 'offline', null, 0, 0, null, null, 0, 0),
         (2, 'pve1', 'online', '9.2.1', 8, 0.5, null, null, 32768, 1024);
  insert into storage (node_id, name, type, content, shared, active, total_bytes, used_bytes, free_bytes)
  values (1, 'local', 'dir', '{images,rootdir,vztmpl}', false, true, 1099511627776, 0, 1099511627776),
         (2, 'local', 'dir', '{images}', false, false, 0, 0, 0);
  insert into network (node_id, name, type, active, cidr) values (1, 'vmbr0', 'bridge', true, '192.0.2.1/24');
  insert into plan (name, cores, memory_mb, disk_gb, traffic_gb, runtime_days, active)
  values ('small', 1, 1024, 10, null, 30, true), ('old', 1, 512, 5, 100, null, false);
  insert into user_account (email, username, role, password_hash)
  values ('admin@example.com', 'admin', 'admin', 'x'), ('ann@example.com', 'ann', 'customer', 'x');
  insert into ssh_key (user_id, name, public_key, fingerprint) values (2, 'laptop', 'ssh-ed25519 AAAA', 'SHA256:abc');
  insert into guest (host_id, node_id, type, vmid, name, status, cores, memory_mb, disk_bytes, owner_id, tags)
  select 1, 1, 'qemu', 99 + n, 'guest' || n, 'running', 2, 2048, 10737418240, case when n = 1 then 2 end, '{web}'
  from generate_series(1, ${GUESTS_OF_HOST_1 - 1}) as n;
  insert into guest (host_id, node_id, type, vmid, name, status) values (1, 1, 'lxc', ${CONTAINER_VMID}, 'box', 'stopped');
  insert into guest (host_id, node_id, type, vmid, name, gone_at) values (1, 1, 'qemu', 900, 'gone', now());
  insert into guest (host_id, node_id, type, vmid, name, disk_bytes, unsized_disks)
  values (2, 3, 'qemu', 100, 'other', 10737418240, '{scsi1}');
  insert into os_template (host_id, node_id, vmid, name, min_disk_bytes)
  values (1, 1, 9000, 'debian-12', 3221225472);
  insert into ct_template (name, volid) values ('Debian 12', 'local:vztmpl/debian-12.tar.zst');
  insert into node_file (node_id, storage, volid, content, size_bytes)
  values (1, 'local', 'local:vztmpl/debian-12.tar.zst', 'vztmpl', 120), (1, 'local', 'local:vztmpl/alpine.tar.xz', 'vztmpl', 3000), (1, 'local', 'local:iso/rescue.iso', 'iso', 5000);
  insert into ip_zone (host_id, name, cidr, range_start, range_end, gateway, bridge, nameservers, total, next_candidate)
  values (1, 'public', '192.0.2.0/29', '192.0.2.2', '192.0.2.6', '192.0.2.1', 'vmbr0', '{192.0.2.53}', 5, '192.0.2.2');
  insert into ip_address (zone_id, address, guest_id) values (1, '192.0.2.2', 1);
  insert into ip_zone (host_id, name, cidr, range_start, range_end, bridge, total, next_candidate)
  values (1, 'full', '198.51.100.0/30', '198.51.100.1', '198.51.100.1', 'vmbr0', 1, '198.51.100.1'),
         (2, 'elsewhere', '203.0.113.0/24', '203.0.113.1', '203.0.113.9', 'vmbr0', 9, '203.0.113.1');
  insert into ip_address (zone_id, address) values (2, '198.51.100.1');
  insert into host (id, name, hostname, user_name, secret_encrypted, last_sync_at, maintenance, maintenance_since)
  overriding system value
  values (3, 'empty', 'empty.example', 'root@pam', 'sealed', null, false, null),
         (4, 'closed', 'closed.example', 'root@pam', 'sealed', '2026-11-21T11:59:50Z', true, now());
  update host set vmid_lower = 200, vmid_upper = 200 where id = 3;
  insert into node (host_id, name, status) values (4, 'pve4', 'online');
  insert into job (kind, status, host_id, node, vmid, progress, step, error, started_at, finished_at)
  values ('guest_create', 'running', 1, 'pve1', 100, 0.5, 'clone', null, now(), null),
         ('guest_create', 'failed', 2, 'pve1', 101, null, null, 'storage is full', now(), now());
`;
