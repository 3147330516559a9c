// Rows that specs of the store begin with: two hosts with a node each, two guests, a zone, and a job that a worker holds.
import type { TestDatabase } from "../support/database.js";
import { fromNow, plant } from "../support/rows.js";

/** The lease of job 1. */
export const LEASE = { id: 1, leaseEpoch: 3 };

/** A lease of job 1 that another worker has replaced. */
export const LOST_LEASE = { id: 1, leaseEpoch: 2 };

export const insertRows = ({ pool }: TestDatabase): Promise<void> =>
  plant(pool, {
    user_account: [{ username: "ann" }],
    host: [{ name: "alpha" }, { name: "beta" }],
    node: [{ name: "pve1" }, { host_id: 2, name: "pve2" }, { name: "pve3" }],
    guest: [
      { vmid: 100, name: "web", status: "running", cpu_usage: 0.5 },
      { type: "lxc", vmid: 101, name: "mail", status: "stopped" },
    ],
    ip_zone: [{}],
    job: [
      { kind: "migration", status: "running", vmid: 100, lease_epoch: 3, lease_until: fromNow(60), worker: "w" },
      { kind: "guest_create", vmid: 102 },
    ],
    migration: [{ job_id: 1, guest_name: "web", target_node: "pve2", status: "running", bytes_total: 1000 }],
  });
