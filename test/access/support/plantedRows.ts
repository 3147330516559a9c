// The rows of the planted database: each text starts with the mark of what it tells of; `plantsecret` is told to nobody.
import type { UserRole } from "../../../src/core/enums.js";
import { fromNow, type Given, type Rows } from "../../support/rows.js";
import { WORK } from "./plantedWork.js";

const HOUR = 3600;
const DAY = 24 * HOUR;
const GIB = 2 ** 30;
const NOW = fromNow(0);

const user = (username: string, role: UserRole, created_by: number | null = null): Given<"user_account"> => ({
  username,
  email: `${username}@x.example`,
  external_id: `${username}-ext`,
  role,
  password_hash: "plantsecret-ph",
  created_by,
});

const USERS = [
  user("plantadmin", "admin"),
  user("plantoperator", "operator"),
  user("plantreseller1", "reseller", 1),
  user("plantreseller2", "reseller", 1),
  user("plantcustomera", "customer", 3),
  user("plantcustomerb", "customer", 4),
  user("plantcustomerc", "customer", 1),
];

const sshKey = ({ username }: Given<"user_account">, position: number): Given<"ssh_key"> => ({
  user_id: position + 1,
  name: `${username}-key`,
  public_key: `ssh-ed25519 plantsecret-key${position + 1}`,
  fingerprint: `SHA256:${username}-fp`,
});

const seenAt = (position: number) => ({
  user_id: position + 1,
  source_ip: `plantsession${position + 1}-address`,
  user_agent: `plantsession${position + 1}-program`,
});

const host = (name: string, given: Given<"host">): Given<"host"> => ({
  name,
  hostname: `${name}.example`,
  user_name: `${name}-user@pam`,
  token_id: "plantsecret-tokenid",
  secret_encrypted: "plantsecret-sealed",
  last_sync_at: NOW,
  ...given,
});

const HOSTS = [
  host("planthost1", {
    tls_fingerprint: "planthost1-AA:BB",
    kind: "cluster",
    cluster_name: "planthost1-cl",
    version: "8.4.5",
  }),
  host("planthost2", {
    tls_fingerprint: "planthost2-AA:CC",
    kind: "cluster",
    cluster_name: "planthost2-cl",
    version: "9.2.1",
  }),
  host("planthost3", {
    tls_fingerprint: "planthost3-AA:DD",
    kind: "standalone",
    version: "9.1.1",
    last_sync_at: fromNow(-HOUR),
    last_sync_error: "planthost3 is unreachable",
    maintenance: true,
    maintenance_since: NOW,
  }),
];

const SMALL = { version: "9.2.1", cpu_cores: 8, cpu_usage: 0.5, cpu_average_30m: 0.1, memory_mb: 32_000 };

const node = (host_id: number, name: string, given: Given<"node">): Given<"node"> => ({
  host_id,
  name,
  status: "online",
  version: "8.4.5",
  started_at: fromNow(-DAY),
  sampled_at: NOW,
  cpu_cores: 16,
  memory_mb: 16_000,
  ...given,
});

const NODES = [
  node(1, "plantnode1a", { cpu_usage: 0.25, cpu_average_30m: 0.4, memory_used_mb: 14_000 }),
  node(1, "plantnode1b", { cpu_usage: 0.35, cpu_average_30m: 0.9, memory_used_mb: 4000 }),
  node(2, "plantnode2", { ...SMALL, memory_used_mb: 1000 }),
  node(2, "plantnode2b", { ...SMALL, memory_used_mb: 1000, status: "offline" }),
  node(3, "plantnode3", { ...SMALL, memory_used_mb: 31_000, version: "9.1.1" }),
];

/** What each node has. */
const parts = NODES.map(({ name }, position) => ({ node_id: position + 1, name: name ?? "" }));

const template = (name: string, given: Given<"os_template">): Given<"os_template"> => ({
  name,
  min_disk_bytes: 8 * GIB,
  ...given,
});

const zone = (host_id: number, network: string): Given<"ip_zone"> => ({
  host_id,
  name: `plantzone${host_id}`,
  cidr: `${network}.0/25`,
  range_start: `${network}.10`,
  range_end: `${network}.20`,
  gateway: `${network}.1`,
  bridge: "vmbr0",
  nameservers: [`${network}.2`],
  total: "11",
  next_candidate: `${network}.13`,
});

/** A guest on the n-th node, which is older the earlier it stands in the list. */
const guest = (
  name: string,
  place: readonly [host: number, node: number, vmid: number],
  given: Given<"guest">,
): Given<"guest"> => ({
  host_id: place[0],
  node_id: place[1],
  vmid: place[2],
  name,
  status: "running",
  cores: 2,
  memory_mb: 1024,
  disk_bytes: 5 * GIB,
  cpu_usage: 0.1,
  memory_used_mb: 500,
  started_at: NOW,
  plan_id: 1,
  tags: [`${name}-tag`],
  lock: `${name}-lock`,
  storages: [`${NODES[place[1] - 1]?.name}-st`],
  ...given,
});

const PLAIN_IDENTITY = { uuid: "plantsecret-id" };

const GUESTS = [
  guest("plantguesta1", [1, 1, 101], { owner_id: 5, ip_addresses: ["10.77.1.1"], identity: PLAIN_IDENTITY }),
  guest("plantguestb1", [1, 2, 102], {
    owner_id: 6,
    ip_addresses: ["10.77.2.1"],
    identity: PLAIN_IDENTITY,
    cpu_usage: 0.2,
    memory_used_mb: 600,
  }),
  guest("plantguestn1", [1, 1, 103], {
    type: "lxc",
    plan_id: null,
    ip_addresses: ["10.77.3.1"],
    cpu_usage: 0.3,
    memory_mb: 2048,
    memory_used_mb: 700,
  }),
  guest("plantgone", [1, 1, 104], {
    owner_id: 5,
    ip_addresses: ["10.77.4.1"],
    status: "stopped",
    gone_at: NOW,
    storages: [],
  }),
  guest("plantguesta2", [2, 3, 101], { owner_id: 5, ip_addresses: ["10.77.5.1"] }),
  guest("plantguestb2", [2, 3, 102], { owner_id: 6, ip_addresses: ["10.77.6.1"] }),
  guest("plantguestn2", [2, 3, 103], { type: "lxc", plan_id: null, ip_addresses: ["10.77.7.1"] }),
  guest("plantcopy2", [2, 3, 105], {
    owner_id: 5,
    ip_addresses: ["10.77.8.1"],
    status: "stopped",
    lock: null,
    safety_copy: true,
    safety_copy_delete_at: fromNow(3 * DAY),
  }),
  guest("planttemplate1", [1, 1, 9000], { plan_id: null, status: "stopped", lock: null, template: true }),
  guest("plantguestn3", [3, 5, 101], { owner_id: 7, ip_addresses: ["10.77.9.1"] }),
].map((given, position) => ({ created_at: fromNow(-Math.max(1, 9 - position) * DAY), ...given }));

const forward = (node_id: number, guest_id: number): Given<"port_forward"> => ({
  node_id,
  guest_id,
  public_port: 20_000 + guest_id,
  guest_port: 22,
  guest_address: `10.77.${guest_id}.1`,
});

const token = (name: string, position: number, given: Given<"api_token">): Given<"api_token"> => ({
  name,
  prefix: `drv_${name}`,
  token_hash: `plantsecret-th${position}`,
  last_used_ip: `203.0.113.${200 + position}`,
  ...given,
});

const MANAGING = { permissions: ["hosts.manage"], made_by: 1 };

const TOKENS = [
  token("planttokenall", 1, { ...MANAGING, made_by: null, allowed_ips: "203.0.113.200/29" }),
  token("planttokenplain", 2, {}),
  token("planttokens1", 3, { connection_scope: [1], made_by: 1 }),
  token("planttokens1m", 4, { ...MANAGING, connection_scope: [1] }),
  token("planttokens2m", 5, { ...MANAGING, connection_scope: [2] }),
  token("planttokens12", 6, { ...MANAGING, connection_scope: [1, 2] }),
];

const call = (token_id: number, path: string, status = 200): Given<"request_log"> => ({
  token_id,
  token_name: TOKENS[token_id - 1]?.name ?? null,
  source_ip: `203.0.113.${200 + token_id}`,
  path: `/api/v1/${path}`,
  status,
});

export const PLANTED: Rows = {
  user_account: USERS,
  ssh_key: USERS.map(sshKey),
  session: USERS.map((_, position) => ({ ...seenAt(position), token_hash: `plantsecret-session${position}` })),
  sign_in: USERS.map((_, position) => seenAt(position)),
  host: HOSTS,
  node: NODES,
  agent: parts.slice(0, 4).map(({ node_id, name }) => ({
    node_id,
    token_hash: `plantsecret-agent${node_id}`,
    healthy: true,
    problems: [`${name}-problem`],
    nat_configured: true,
    public_address: `203.0.113.${node_id}`,
    last_seen_at: NOW,
  })),
  node_sample: parts.flatMap(({ node_id }) =>
    [1, 2, 3].map((minutes) => ({
      node_id,
      at: fromNow(-60 * minutes),
      cpu_usage: 0.25,
      memory_used_mb: 1000 + node_id,
    })),
  ),
  storage: parts.map(({ node_id, name }) => ({
    node_id,
    name: `${name}-st`,
    active: true,
    content: ["images", "rootdir", "vztmpl"],
    total_bytes: 10e12,
    used_bytes: 4e12,
    free_bytes: 6e12,
  })),
  network: parts.map(({ node_id, name }) => ({
    node_id,
    name: `${name}-br`,
    active: true,
    cidr: `10.9.${node_id}.1/24`,
  })),
  node_file: parts.map(({ node_id, name }) => ({
    node_id,
    storage: `${name}-st`,
    volid: `${name}-st:vztmpl/${name}-file.tar.zst`,
    size_bytes: 1234,
  })),
  reseller_node: [
    { user_id: 3, node_id: 1 },
    { user_id: 4, node_id: 2 },
  ],
  plan: [
    { name: "plansmall", cores: 1, memory_mb: 1024, runtime_days: null },
    { name: "plantoldplan", cores: 1, memory_mb: 512, disk_gb: 5, active: false, runtime_days: null },
  ],
  os_template: [
    template("plantnode1a-tpl", {}),
    template("plantnode1b-tpl", { node_id: 2, vmid: 9001 }),
    template("plantnode2-tpl", { host_id: 2, node_id: 3, min_disk_bytes: 30 * GIB }),
    template("plantnode1a-tplold", { vmid: 9002, min_disk_bytes: 0, active: false }),
  ],
  ct_template: [{ name: "library", volid: "local:vztmpl/library.tar.zst" }],
  ip_zone: [zone(1, "198.51.100"), zone(2, "192.0.2")],
  guest: GUESTS,
  ip_address: [
    ...[1, 2, 3].map((guest_id) => ({ zone_id: 1, address: `198.51.100.${9 + guest_id}`, guest_id })),
    ...[5, 6, 7].map((guest_id) => ({ zone_id: 2, address: `192.0.2.${5 + guest_id}`, guest_id })),
  ],
  port_forward: [forward(1, 1), forward(2, 2), forward(1, 3), forward(3, 5), forward(3, 6)],
  api_token: TOKENS,
  request_log: [
    call(1, "plantcallall"),
    call(2, "plantcallplain"),
    call(3, "plantcalls1"),
    call(4, "plantcalls1m"),
    call(5, "plantcalls2m", 403),
    { source_ip: "203.0.113.207", path: "/api/v1/plantcallnone", status: 401 },
  ],
  ...WORK,
};
