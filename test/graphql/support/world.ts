// What the tests of GraphQL find in the database: hosts, a catalogue, people of every role, and their tokens.
import type { Pool } from "pg";
import { newBearerToken } from "../../../src/access/bearerToken.js";

/** Guests of host 1. */
const GUESTS_OF_HOST_1 = 120;
/** Every how many-th guest of host 1 belongs to the customer. */
const CUSTOMER_SHARE = 3;

export interface World {
  /** API token for every host, with `hosts.manage`. */
  readonly manager: string;
  /** API token for every host, without grants. */
  readonly plain: string;
  /** API token for host 1 only. */
  readonly scoped: string;
  /** Sessions of people. */
  readonly admin: string;
  readonly reseller: string;
  readonly customer: string;
}

/** A job of the first host, half done. */
export const RUNNING_JOB = 1;
export const ADMIN_ID = 1;
export const RESELLER_ID = 2;
export const CUSTOMER_ID = 3;

interface TokenRow {
  readonly name: string;
  readonly permissions?: readonly string[];
  readonly scope?: readonly number[];
  readonly rateLimit?: number;
}

/** Stores an API token. @returns its value */
export async function storeToken(pool: Pool, { name, permissions, scope, rateLimit }: TokenRow): Promise<string> {
  const { value, hash, prefix } = newBearerToken("apiToken");
  await pool.query(
    `insert into api_token (name, prefix, token_hash, permissions, connection_scope, rate_limit) values ($1, $2, $3, $4, $5, $6)`,
    [name, prefix, hash, permissions ?? [], scope ?? [], rateLimit ?? null],
  );
  return value;
}

/** Opens a session of a user for an hour. @returns its token */
async function storeSession(pool: Pool, userId: number): Promise<string> {
  const { value, hash } = newBearerToken("session");
  await pool.query(`insert into session (token_hash, user_id, expires_at) values ($1, $2, now() + interval '1 hour')`, [
    hash,
    userId,
  ]);
  return value;
}

/** Fills a fresh database. */
export async function fillWorld(pool: Pool): Promise<World> {
  await pool.query(ROWS);
  return {
    manager: await storeToken(pool, { name: "manager", permissions: ["hosts.manage"] }),
    plain: await storeToken(pool, { name: "plain" }),
    scoped: await storeToken(pool, { name: "scoped", scope: [1] }),
    admin: await storeSession(pool, ADMIN_ID),
    reseller: await storeSession(pool, RESELLER_ID),
    customer: await storeSession(pool, CUSTOMER_ID),
  };
}

const ROWS = `
  insert into user_account (email, username, external_id, role, password_hash)
  values ('admin@example.com', 'admin', null, 'admin', 'x'), ('rita@example.com', 'rita', null, 'reseller', 'x'),
         ('carl@example.com', 'carl', 'crm-77', 'customer', 'x'), ('dora@example.com', 'dora', null, 'customer', 'x');
  update user_account set created_by = ${RESELLER_ID} where id = ${CUSTOMER_ID};
  insert into ssh_key (user_id, name, public_key, fingerprint) values (${CUSTOMER_ID}, 'laptop', 'ssh-ed25519 AAAA', 'SHA256:abc');

  insert into host (name, hostname, user_name, secret_encrypted, kind, cluster_name, version, last_sync_at)
  values ('alpha', 'alpha.example', 'root@pam', 'sealed', 'standalone', null, '8.4.5', now()),
         ('beta', 'beta.example', 'root@pam', 'sealed', 'cluster', 'beta', '9.2.1', now()),
         ('gamma', 'gamma.example', 'root@pam', 'sealed', 'standalone', null, null, null);
  insert into node (host_id, name, status, version, started_at, cpu_cores, cpu_usage, cpu_average_30m, sampled_at, memory_mb, memory_used_mb)
  values (1, 'a1', 'online', '8.4.5', now() - interval '1 day', 16, 0.25, 0.4, now(), 16000, 15000),
         (2, 'b1', 'online', '9.2.1', now() - interval '1 hour', 8, 0.5, 0.1, now() - interval '31 minutes', 16000, 1000),
         (2, 'b2', 'offline', null, null, 8, 0, null, null, 16000, 0);
  insert into agent (node_id, token_hash, version, healthy, nat_configured, public_address, last_seen_at)
  values (1, 'agent a1', '1.0.0', true, true, '203.0.113.4', now() + interval '1 day'), (2, 'agent b1', '1.0.0', true, false, null, now() - interval '181 seconds');
  insert into node_sample (node_id, at, cpu_usage, memory_used_mb)
  select 1, now() - make_interval(mins => n), 0.25, 1000 + n from generate_series(0, 100) as n;
  insert into storage (node_id, name, type, content, shared, active, total_bytes, used_bytes, free_bytes)
  select id, 'local', 'dir', '{images,rootdir,vztmpl}', false, true, 10000000000000, 4000000000000, 6000000000000 from node;
  insert into network (node_id, name, type, active, cidr) select id, 'vmbr' || n, 'bridge', true, '192.0.2.1/24' from node, generate_series(0, 1) as n;
  insert into node_file (node_id, storage, volid, content, size_bytes)
  values (1, 'local', 'local:vztmpl/debian-12.tar.zst', 'vztmpl', 1234), (2, 'local', 'local:vztmpl/alpine.tar.gz', 'vztmpl', 99),
         (1, 'local', 'local:iso/rescue.iso', 'iso', 5);
  insert into reseller_node (user_id, node_id) values (${RESELLER_ID}, 2);

  insert into plan (name, cores, memory_mb, disk_gb, traffic_gb, runtime_days, active)
  values ('small', 1, 1024, 10, null, 30, true), ('old', 1, 512, 5, 100, null, false);
  insert into os_template (host_id, node_id, vmid, name, min_disk_bytes, active)
  values (1, 1, 9000, 'Debian 12', 3221225472, true), (1, 1, 9001, 'Debian 10', 0, false);
  insert into ct_template (name, volid) values ('Debian 12', 'local:vztmpl/debian-12.tar.zst');
  insert into ip_zone (host_id, name, cidr, range_start, range_end, gateway, bridge, total, next_candidate)
  values (1, 'public', '198.51.100.0/24', '198.51.100.10', '198.51.100.20', '198.51.100.1', 'vmbr0', 11, '198.51.100.10'),
         (1, 'six', '2001:db8::/64', '2001:db8::1', '2001:db8::ffff', null, 'vmbr0', 18446744073709551614, '2001:db8::1');

  insert into guest (host_id, node_id, type, vmid, name, status, cores, memory_mb, disk_bytes, cpu_usage, started_at, owner_id, plan_id, tags)
  select 1, 1, 'qemu', 100 + n, 'web-' || n, case when n % 2 = 0 then 'running' else 'stopped' end, 2, 1024 + n, 5368709120, n / 1000.0,
    now() - interval '5 minutes', case when n % ${CUSTOMER_SHARE} = 0 then ${CUSTOMER_ID} end, 1, case when n < 10 then '{prod,web}'::text[] else '{web}' end
  from generate_series(0, ${GUESTS_OF_HOST_1 - 1}) as n;
  insert into guest (host_id, node_id, type, vmid, name, status) values (2, 2, 'lxc', 100, '100%_box', 'running'), (2, 2, 'qemu', 101, 'copy', 'stopped');
  update guest set safety_copy = true, safety_copy_delete_at = '2027-01-02T03:04:05.678Z' where host_id = 2 and vmid = 101;
  insert into guest (host_id, node_id, type, vmid, name, gone_at) values (1, 1, 'qemu', 900, 'gone', now());
  insert into ip_address (zone_id, address, guest_id) values (1, '198.51.100.10', 1);
  update guest set ip_addresses = '{10.0.0.5,198.51.100.10}' where id = 1;
  insert into port_forward (node_id, guest_id, protocol, public_port, guest_port, guest_address) values (1, 1, 'tcp', 2222, 22, '198.51.100.10');
  insert into job (kind, status, host_id, node, vmid, guest_id, progress, step, upids, started_at)
  values ('guest_reinstall', 'running', 1, 'a1', 100, 1, 0.5, 'clone', '{UPID:a1:1}', now());
  insert into job (kind, host_id, node, vmid, created_by_user) values ('guest_create', 2, 'b1', 102, ${RESELLER_ID});
  insert into vmid_reservation (host_id, vmid, job_id) values (2, 102, 2);
  insert into resource_lock (key, job_id) values ('guest:1:100', 1);
`;
