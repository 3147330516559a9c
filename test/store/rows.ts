// Rows that specs of the store begin with: two hosts with a node each, two guests, a zone, and a job that a worker holds.
import type { TestDatabase } from "../support/database.js";

/** The lease of job 1. */
export const LEASE = { id: 1, leaseEpoch: 3 };

/** A lease of job 1 that another worker has replaced. */
export const LOST_LEASE = { id: 1, leaseEpoch: 2 };

const ROWS = `
  insert into host (name, hostname, user_name, secret_encrypted) values
    ('alpha', 'alpha.example', 'root@pam', 'sealed'), ('beta', 'beta.example', 'root@pam', 'sealed');
  insert into node (host_id, name) values (1, 'pve1'), (2, 'pve2'), (1, 'pve3');
  insert into user_account (email, username, password_hash) values ('ann@example', 'ann', 'hash');
  insert into guest (host_id, node_id, type, vmid, name, status, cpu_usage) values
    (1, 1, 'qemu', 100, 'web', 'running', 0.5), (1, 1, 'lxc', 101, 'mail', 'stopped', null);
  insert into ip_zone (host_id, name, cidr, range_start, range_end, bridge, total, next_candidate)
    values (1, 'lan', '10.0.0.0/24', '10.0.0.2', '10.0.0.9', 'vmbr0', 8, '10.0.0.2');
  insert into job (kind, status, host_id, vmid, lease_epoch, lease_until, worker, started_at) values
    ('migration', 'running', 1, 100, 3, now() + interval '1 minute', 'w', now()), ('guest_create', 'queued', 1, 102, 0, null, null, null);
  insert into migration (job_id, guest_id, guest_name, guest_type, vmid, target_vmid, source_host_id, source_node, target_host_id,
      target_node, mode, status, bytes_total)
    values (1, 1, 'web', 'qemu', 100, 100, 1, 'pve1', 2, 'pve2', 'live', 'running', 1000)`;

export const insertRows = (database: TestDatabase): Promise<unknown> => database.pool.query(ROWS);
