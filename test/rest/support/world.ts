// What the REST cases find in the database: two hosts with nodes and guests, people, and tokens of every sort.
import type { Pool } from "pg";
import { newAccessToken } from "../../../src/access/accessToken.js";
import { fromNow, plant, type Given, type Rows } from "../../support/rows.js";
import { storeToken } from "../../support/tokens.js";

/** Guests of host 1: enough for a second page of the default size. */
const GUESTS_OF_HOST_1 = 60;
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

/** Fills a fresh database. `now` is the present of the service under test. */
export async function fillWorld(pool: Pool, now: Date): Promise<World> {
  const agent = newAccessToken("agent");
  await plant(pool, { ...INVENTORY, agent: [{ token_hash: agent.hash, healthy: true, last_seen_at: now }] });
  const token = async (given: Given<"api_token">) => (await storeToken(pool, given)).value;
  const past = new Date(now.getTime() - 1000);
  return {
    tokens: {
      full: await token({ name: "full" }),
      scoped: await token({ name: "scoped", connection_scope: [1] }),
      revoked: await token({ name: "revoked", revoked_at: past }),
      expired: await token({ name: "expired", expires_at: now }),
      restricted: await token({ name: "restricted", allowed_ips: "203.0.113.0/24" }),
      limited: await token({ name: "limited", rate_limit: 2 }),
      agent: agent.value,
    },
  };
}

const SYNCED = new Date("2026-11-21T11:59:50Z");
const GIB = 2 ** 30;

const INVENTORY: Rows = {
  user_account: [
    { email: "admin@example.com", username: "admin", role: "admin" },
    { email: "ann@example.com", username: "ann" },
  ],
  ssh_key: [{ user_id: 2, name: "laptop" }],
  plan: [
    { name: "small", cores: 1, memory_mb: 1024 },
    { name: "old", cores: 1, memory_mb: 512, disk_gb: 5, traffic_gb: 100, runtime_days: null, active: false },
  ],
  host: [
    { name: "alpha", last_sync_at: SYNCED },
    { name: "beta", last_sync_at: SYNCED },
    { name: "empty", vmid_lower: 200, vmid_upper: 200 },
    { name: "closed", last_sync_at: SYNCED, maintenance: true, maintenance_since: fromNow(0) },
  ],
  node: [
    {
      name: "pve1",
      status: "online",
      version: "8.4.5",
      cpu_cores: 16,
      cpu_usage: 0.25,
      cpu_average_30m: 0.2,
      sampled_at: SYNCED,
      memory_mb: 65536,
      memory_used_mb: 16384,
    },
    { name: "pve2", status: "offline" },
    {
      host_id: 2,
      status: "online",
      version: "9.2.1",
      cpu_cores: 8,
      cpu_usage: 0.5,
      memory_mb: 32768,
      memory_used_mb: 1024,
    },
    { host_id: 4, name: "pve4", status: "online" },
  ],
  storage: [
    { content: ["images", "rootdir", "vztmpl"], active: true, total_bytes: 1024 * GIB, free_bytes: 1024 * GIB },
    { node_id: 2, content: ["images"] },
  ],
  network: [{ name: "vmbr0", active: true, cidr: "192.0.2.1/24" }],
  node_file: [
    { volid: "local:vztmpl/debian-12.tar.zst", size_bytes: 120 },
    { volid: "local:vztmpl/alpine.tar.xz", size_bytes: 3000 },
    { volid: "local:iso/rescue.iso", content: "iso", size_bytes: 5000 },
  ],
  guest: [
    ...Array.from({ length: GUESTS_OF_HOST_1 - 1 }, (_, index) => ({
      vmid: 100 + index,
      name: `guest${1 + index}`,
      status: "running" as const,
      cores: 2,
      memory_mb: 2048,
      disk_bytes: 10 * GIB,
      owner_id: index === 0 ? 2 : null,
      tags: ["web"],
    })),
    { type: "lxc", vmid: CONTAINER_VMID, name: "box", status: "stopped" },
    { vmid: 900, name: "gone", gone_at: fromNow(0) },
    { host_id: 2, node_id: 3, vmid: 100, name: "other", disk_bytes: 10 * GIB, unsized_disks: ["scsi1"] },
  ],
  os_template: [{ vmid: 9000, name: "debian-12", min_disk_bytes: 3 * GIB }],
  ct_template: [{ name: "Debian 12" }],
  ip_zone: [
    {
      name: "public",
      cidr: "192.0.2.0/29",
      range_start: "192.0.2.2",
      range_end: "192.0.2.6",
      gateway: "192.0.2.1",
      nameservers: ["192.0.2.53"],
      total: "5",
    },
    { name: "full", cidr: "198.51.100.0/30", range_start: "198.51.100.1", range_end: "198.51.100.1", total: "1" },
    {
      host_id: 2,
      name: "elsewhere",
      cidr: "203.0.113.0/24",
      range_start: "203.0.113.1",
      range_end: "203.0.113.9",
      total: "9",
    },
  ],
  ip_address: [
    { address: "192.0.2.2", guest_id: 1 },
    { zone_id: 2, address: "198.51.100.1" },
  ],
  job: [
    { status: "running", node: "pve1", vmid: 100, progress: 0.5, step: "clone" },
    { status: "failed", host_id: 2, node: "pve1", vmid: 101, error: "storage is full" },
  ],
};
