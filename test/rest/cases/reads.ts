// Cases of the endpoints that read: records with exactly their fields, and what is not there.
import type { Case } from "../support/case.js";
import { TASK } from "../support/platform.js";
import { CONTAINER_VMID } from "../support/world.js";

const GUEST_FIELDS =
  `type vmid node name host_id status template lock tags cores memory_mb disk_gb cpu_usage memory_used_mb
  uptime_seconds owner_id plan_id ip_addresses safety_copy safety_copy_delete_at last_seen_at`.split(/\s+/);
const NODE_FIELDS =
  `host_id name status maintenance cpu_cores cpu_usage cpu_average_30m memory_mb memory_used_mb guest_count
  version uptime_seconds agent`.split(/\s+/);

const get = (path: string): Case["request"] => ({ method: "GET", path });
const missing = (id: string, path: string, must: string): Case => ({ id, must, request: get(path), status: 404 });

export const readCases: readonly Case[] = [
  {
    id: "hosts/list",
    must: "MUST list hosts by id, without a secret",
    request: get("/hosts"),
    status: 200,
    fields: ["id", "name", "hostname", "port", "user", "active"],
    body: {
      data: [{ id: 1, name: "alpha", port: 8006, user: "root@pam", active: true }, { id: 2 }],
      meta: { total: 4 },
    },
  },
  {
    id: "nodes/list",
    must: "MUST list the nodes of a host by name",
    request: get("/hosts/1/nodes"),
    status: 200,
    fields: NODE_FIELDS,
    body: {
      data: [
        {
          host_id: 1,
          name: "pve1",
          status: "online",
          maintenance: false,
          cpu_average_30m: 0.2,
          guest_count: 60,
          agent: { version: "1.0.0", current: true, healthy: true, last_seen_at: "2026-11-21T12:00:00.000Z" },
        },
        { name: "pve2", status: "offline", agent: null },
      ],
    },
  },
  {
    id: "nodes/one",
    must: "MUST give one node by name",
    request: get("/hosts/1/nodes/pve2"),
    status: 200,
    fields: NODE_FIELDS,
    body: { data: { name: "pve2" } },
  },
  missing("nodes/unknown", "/hosts/1/nodes/pve9", "MUST answer 404 for a node that the host does not have"),
  {
    id: "nodes/malformed",
    must: "MUST answer 422 for a node name that is no DNS label",
    request: get("/hosts/1/nodes/pve_1"),
    status: 422,
  },
  missing("nodes/malformed-unknown-host", "/hosts/99/nodes/pve_1", "MUST answer 404 for an unknown host before that"),
  {
    id: "plans/list",
    must: "MUST list active plans only; null is unlimited",
    request: get("/hosts/1/plans"),
    status: 200,
    fields: ["id", "name", "cores", "memory_mb", "disk_gb", "traffic_gb", "runtime_days"],
    body: { data: [{ name: "small", traffic_gb: null, runtime_days: 30 }], meta: { total: 1 } },
  },
  {
    id: "storages/list",
    must: "MUST list a storage for each node that sees it",
    request: get("/hosts/1/storages"),
    status: 200,
    fields: ["name", "node", "type", "content", "shared", "active", "total_bytes", "used_bytes", "free_bytes"],
    body: { data: [{ name: "local", node: "pve1", free_bytes: 1099511627776 }, { node: "pve2" }], meta: { total: 2 } },
  },
  {
    id: "storages/of-node",
    must: "MUST narrow storages to a node",
    request: get("/hosts/1/storages?node=pve2"),
    status: 200,
    body: { data: [{ node: "pve2", active: false }], meta: { total: 1 } },
  },
  {
    id: "networks/list",
    must: "MUST list the networks of a host",
    request: get("/hosts/1/networks"),
    status: 200,
    fields: ["name", "node", "type", "active", "cidr"],
    body: { data: [{ name: "vmbr0", node: "pve1", cidr: "192.0.2.1/24" }] },
  },
  {
    id: "guests/list",
    must: "MUST list machines and containers by VMID, enum values in lower case, without those that are gone",
    request: get("/hosts/1/guests?perPage=200"),
    status: 200,
    fields: GUEST_FIELDS,
    body: {
      data: [{ type: "qemu", vmid: 100, node: "pve1", name: "guest1", status: "running", disk_gb: 10, owner_id: 2 }],
      meta: { total: 60 },
    },
  },
  {
    id: "guests/empty",
    must: "MUST give an empty list for a host without guests",
    request: get("/hosts/3/guests"),
    status: 200,
    body: { success: true, data: [], error: null, meta: { page: 1, perPage: 50, total: 0 } },
  },
  {
    id: "guests/one",
    must: "MUST give one guest",
    request: get(`/hosts/1/guests/lxc/${CONTAINER_VMID}`),
    status: 200,
    fields: GUEST_FIELDS,
    body: { data: { type: "lxc", vmid: CONTAINER_VMID, status: "stopped", cpu_usage: null, tags: [] } },
  },
  missing(
    "guests/other-type",
    `/hosts/1/guests/qemu/${CONTAINER_VMID}`,
    "MUST answer 404 for a VMID of the other type",
  ),
  missing("guests/gone", "/hosts/1/guests/qemu/900", "MUST answer 404 for a guest that is gone"),
  {
    id: "guests/unknown-disk",
    must: "MUST give no size for the disks of a guest when the host does not tell that of each",
    request: get("/hosts/2/guests/qemu/100"),
    status: 200,
    body: { data: { disk_gb: null } },
  },
  missing("guests/other-host", "/hosts/2/guests/qemu/101", "MUST answer 404 for a guest of another host"),
  missing("guests/bad-type", "/hosts/1/guests/kvm/100", "MUST answer 404 for a type that is neither qemu nor lxc"),
  missing("guests/upper-type", "/hosts/1/guests/QEMU/100", "MUST answer 404 for a type in upper case"),
  missing("guests/bad-vmid", "/hosts/1/guests/qemu/abc", "MUST answer 404 for a VMID that is no number"),
  missing(
    "guests/huge-vmid",
    "/hosts/1/guests/qemu/99999999999999999999",
    "MUST answer 404 for a VMID beyond all bounds",
  ),
  ...["0", "-1", "abc", "1.0", "99999999999", "%00", "1%2f"].map((id) =>
    missing(`hosts/bad-id-${id}`, `/hosts/${id}/guests`, `MUST answer 404 when the host id is ${id}`),
  ),
  ...["nodes", "plans", "storages", "networks", "guests"].map((what) =>
    missing(`hosts/unknown-${what}`, `/hosts/99/${what}`, `MUST answer 404 for the ${what} of an unknown host`),
  ),
  {
    id: "os-templates/list",
    must: "MUST list templates with their references",
    request: get("/hosts/1/os-templates"),
    status: 200,
    fields: ["id", "ref", "name", "node", "vmid", "min_disk_gb"],
    body: { data: [{ id: 1, ref: "tpl:1", name: "debian-12", node: "pve1", vmid: 9000, min_disk_gb: 3 }] },
  },
  {
    id: "ct-templates/list",
    must: "MUST list the managed library and the nodes' template files, but no ISO images",
    request: get("/hosts/1/ct-templates"),
    status: 200,
    fields: ["id", "name", "volid", "node", "storage", "size_bytes", "managed"],
    body: {
      data: [
        { id: 1, name: "Debian 12", managed: true },
        { id: null, volid: "local:vztmpl/alpine.tar.xz", node: "pve1", size_bytes: 3000, managed: false },
        { id: null, volid: "local:vztmpl/debian-12.tar.zst", node: "pve1", size_bytes: 120, managed: false },
      ],
      meta: { total: 3 },
    },
  },
  {
    id: "ct-templates/of-node",
    must: "MUST show a node only its own files and the library",
    request: get("/hosts/1/ct-templates?node=pve2"),
    status: 200,
    body: { data: [{ managed: true }], meta: { total: 1 } },
  },
  missing("ct-templates/unknown-node", "/hosts/1/ct-templates?node=pve9", "MUST answer 404 for an unknown node"),
  {
    id: "ip-zones/list",
    must: "MUST list IP zones with what is left of them",
    request: get("/hosts/1/ip-zones"),
    status: 200,
    fields: `id ref name cidr family gateway bridge vlan nameservers total used free`.split(" "),
    body: {
      data: [
        {
          ref: "zone:1",
          cidr: "192.0.2.0/29",
          family: 4,
          gateway: "192.0.2.1",
          vlan: null,
          total: 5,
          used: 1,
          free: 4,
        },
      ],
    },
  },
  {
    id: "next-vmid",
    must: "MUST give the lowest VMID that is free",
    request: get("/hosts/1/next-vmid"),
    status: 200,
    body: { success: true, data: { vmid: CONTAINER_VMID + 1 }, error: null },
  },
  {
    id: "next-vmid/none",
    must: "MUST answer 409 with the reason for a host that gives no VMIDs",
    request: get("/hosts/3/next-vmid"),
    status: 409,
    body: {
      success: false,
      data: null,
      error: "host empty gives no VMIDs: its range (next-id) has the lower bound 200 and the upper bound 200",
    },
  },
  {
    id: "jobs/running",
    must: "MUST give a job of the host",
    request: get("/hosts/1/jobs/1"),
    status: 200,
    fields: `id kind status error host_id node vmid progress step created_at started_at finished_at`.split(" "),
    body: { data: { id: 1, kind: "guest_create", status: "running", error: null, progress: 0.5, step: "clone" } },
  },
  {
    id: "jobs/failed",
    must: "MUST say why a job failed",
    request: get("/hosts/2/jobs/2"),
    status: 200,
    body: { data: { status: "failed", error: "storage is full", progress: null } },
  },
  missing("jobs/other-host", "/hosts/1/jobs/2", "MUST answer 404 for a job of another host"),
  missing("jobs/unknown", "/hosts/1/jobs/99", "MUST answer 404 for an unknown job"),
  {
    id: "tasks/ended",
    must: "MUST follow a task of the platform",
    request: get(`/hosts/1/tasks/pve1/${encodeURIComponent(TASK.upid)}`),
    status: 200,
    fields: `upid node type target_id user status exit_status started_at ended_at`.split(" "),
    body: {
      data: {
        upid: TASK.upid,
        target_id: "100",
        status: "stopped",
        exit_status: "OK",
        ended_at: "2026-11-21T11:58:02.000Z",
      },
    },
  },
  {
    id: "tasks/unreachable",
    must: "MUST answer 502 when the platform cannot be reached",
    request: get(`/hosts/2/tasks/pve1/${encodeURIComponent(TASK.upid)}`),
    status: 502,
    body: { success: false, data: null, error: "Host beta cannot be reached" },
  },
  missing(
    "tasks/unknown",
    `/hosts/1/tasks/pve1/${encodeURIComponent(TASK.upid.replace("100", "101"))}`,
    "MUST answer 404 for a task that the platform does not know",
  ),
  missing("tasks/malformed", "/hosts/1/tasks/pve1/nonsense", "MUST answer 404 for a task id that is none"),
  missing(
    "tasks/unknown-node",
    "/hosts/1/tasks/pve9/UPID%3Apve9%3A0000C1D2%3A0015A2C8%3A65B2A1F0%3Aqmstart%3A100%3Aroot%40pam%3A",
    "MUST answer 404 for a task of an unknown node",
  ),
  {
    id: "users/list",
    must: "MUST list customers, not operators",
    request: get("/users"),
    status: 200,
    fields: ["id", "email", "username", "user_id", "guest_count", "created_at"],
    body: { data: [{ id: 2, email: "ann@example.com", user_id: null, guest_count: 1 }], meta: { total: 1 } },
  },
  {
    id: "ssh-keys/list",
    must: "MUST give name and fingerprint of a user's keys and nothing else",
    request: get("/users/2/ssh-keys"),
    status: 200,
    fields: ["name", "fingerprint"],
    body: { data: [{ name: "laptop", fingerprint: "SHA256:abc" }], meta: { total: 1 } },
  },
  missing("ssh-keys/unknown-user", "/users/99/ssh-keys", "MUST answer 404 for an unknown user"),
  missing("ssh-keys/unknown-user-first", "/users/99/ssh-keys?page=x", "MUST answer 404 for an unknown user before 422"),
];
