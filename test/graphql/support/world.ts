// What the tests of GraphQL find in the database: hosts, a catalogue, people of every role, and their tokens.
import type { Pool } from "pg";
import { newAccessToken } from "../../../src/access/accessToken.js";
import { fromNow, plant, type Given, type Rows } from "../../support/rows.js";
import { storeToken } from "../../support/tokens.js";

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

/** Opens a session of a user for an hour. @returns its token */
async function storeSession(pool: Pool, userId: number): Promise<string> {
  const { value, hash } = newAccessToken("session");
  await plant(pool, { session: [{ token_hash: hash, user_id: userId }] });
  return value;
}

/** Fills a fresh database. */
export async function fillWorld(pool: Pool): Promise<World> {
  await plant(pool, ROWS);
  await pool.query(SAMPLES);
  const token = async (given: Given<"api_token">) => (await storeToken(pool, given)).value;
  return {
    manager: await token({ name: "manager", permissions: ["hosts.manage"] }),
    plain: await token({ name: "plain" }),
    scoped: await token({ name: "scoped", connection_scope: [1] }),
    admin: await storeSession(pool, ADMIN_ID),
    reseller: await storeSession(pool, RESELLER_ID),
    customer: await storeSession(pool, CUSTOMER_ID),
  };
}

const DAY_SECONDS = 86_400;
const GIB = 2 ** 30;

const OFFERED = { active: true, total_bytes: 10e12, used_bytes: 4e12, free_bytes: 6e12 };

const ROWS: Rows = {
  user_account: [
    { email: "admin@example.com", username: "admin", role: "admin" },
    { email: "rita@example.com", username: "rita", role: "reseller" },
    { email: "carl@example.com", username: "carl", external_id: "crm-77", created_by: RESELLER_ID },
    { email: "dora@example.com", username: "dora" },
  ],
  ssh_key: [{ user_id: CUSTOMER_ID }],
  plan: [
    { name: "small", cores: 1, memory_mb: 1024 },
    { name: "old", cores: 1, memory_mb: 512, disk_gb: 5, traffic_gb: 100, runtime_days: null, active: false },
  ],
  host: [
    { name: "alpha", version: "8.4.5", last_sync_at: fromNow(0) },
    { name: "beta", kind: "cluster", cluster_name: "beta", version: "9.2.1", last_sync_at: fromNow(0) },
    { name: "gamma" },
  ],
  node: [
    {
      name: "a1",
      status: "online",
      version: "8.4.5",
      started_at: fromNow(-DAY_SECONDS),
      cpu_cores: 16,
      cpu_usage: 0.25,
      cpu_average_30m: 0.4,
      sampled_at: fromNow(0),
      memory_mb: 16000,
      memory_used_mb: 15000,
    },
    {
      host_id: 2,
      name: "b1",
      status: "online",
      version: "9.2.1",
      started_at: fromNow(-3600),
      cpu_cores: 8,
      cpu_usage: 0.5,
      cpu_average_30m: 0.1,
      sampled_at: fromNow(-31 * 60),
      memory_mb: 16000,
      memory_used_mb: 1000,
    },
    { host_id: 2, name: "b2", status: "offline", cpu_cores: 8, memory_mb: 16000 },
  ],
  agent: [
    { healthy: true, nat_configured: true, public_address: "203.0.113.4", last_seen_at: fromNow(DAY_SECONDS) },
    { node_id: 2, healthy: true, last_seen_at: fromNow(-181) },
  ],
  storage: [1, 2, 3].map((node) => ({ node_id: node, content: ["images", "rootdir", "vztmpl"], ...OFFERED })),
  network: [1, 2, 3].flatMap((node) =>
    ["vmbr0", "vmbr1"].map((name) => ({ node_id: node, name, active: true, cidr: "192.0.2.1/24" })),
  ),
  node_file: [
    { volid: "local:vztmpl/debian-12.tar.zst", size_bytes: 1234 },
    { node_id: 2, volid: "local:vztmpl/alpine.tar.gz", size_bytes: 99 },
    { volid: "local:iso/rescue.iso", content: "iso", size_bytes: 5 },
  ],
  reseller_node: [{ user_id: RESELLER_ID, node_id: 2 }],
  guest: [
    ...Array.from({ length: GUESTS_OF_HOST_1 }, (_, n) => ({
      vmid: 100 + n,
      name: `web-${n}`,
      status: n % 2 === 0 ? ("running" as const) : ("stopped" as const),
      cores: 2,
      memory_mb: 1024 + n,
      disk_bytes: 5 * GIB,
      cpu_usage: n / 1000,
      started_at: fromNow(-300),
      owner_id: n % CUSTOMER_SHARE === 0 ? CUSTOMER_ID : null,
      plan_id: 1,
      tags: n < 10 ? ["prod", "web"] : ["web"],
      ip_addresses: n === 0 ? ["10.0.0.5", "198.51.100.10"] : [],
    })),
    { host_id: 2, node_id: 2, type: "lxc", vmid: 100, name: "100%_box", status: "running" },
    {
      host_id: 2,
      node_id: 2,
      vmid: 101,
      name: "copy",
      status: "stopped",
      safety_copy: true,
      safety_copy_delete_at: new Date("2027-01-02T03:04:05.678Z"),
    },
    { vmid: 900, name: "gone", gone_at: fromNow(0) },
  ],
  os_template: [
    { vmid: 9000, name: "Debian 12", min_disk_bytes: 3 * GIB },
    { vmid: 9001, name: "Debian 10", active: false },
  ],
  ct_template: [{ name: "Debian 12" }],
  ip_zone: [
    {
      name: "public",
      cidr: "198.51.100.0/24",
      range_start: "198.51.100.10",
      range_end: "198.51.100.20",
      gateway: "198.51.100.1",
      total: "11",
    },
    {
      name: "six",
      cidr: "2001:db8::/64",
      range_start: "2001:db8::1",
      range_end: "2001:db8::ffff",
      total: "18446744073709551614",
    },
  ],
  ip_address: [{ address: "198.51.100.10", guest_id: 1 }],
  job: [
    {
      kind: "guest_reinstall",
      status: "running",
      node: "a1",
      vmid: 100,
      guest_id: 1,
      progress: 0.5,
      step: "clone",
      upids: ["UPID:a1:1"],
    },
    { host_id: 2, node: "b1", vmid: 102, created_by_user: RESELLER_ID },
  ],
  vmid_reservation: [{ host_id: 2, vmid: 102, job_id: 2 }],
  resource_lock: [{ key: "guest:1:100" }],
  port_forward: [{ public_port: 2222, guest_port: 22, guest_address: "198.51.100.10" }],
};

const SAMPLES = `
  insert into node_sample (node_id, at, cpu_usage, memory_used_mb)
  select 1, now() - make_interval(mins => n), 0.25, 1000 + n from generate_series(0, 100) as n`;
