// Cases of creating guests: what is queued, what is refused, and in which order.
import type { Case } from "../support/case.js";

const MACHINE = {
  type: "qemu",
  node: "pve1",
  name: "web1.example.com",
  cores: 1,
  memory_mb: 1024,
  disk_gb: 10,
  os_template: "tpl:1",
  vmid: 5000,
  password: "correct horse",
};
const CONTAINER = {
  type: "lxc",
  node: "auto",
  name: "box1",
  plan_id: 1,
  lxc_template_id: 1,
  ssh_keys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ann@laptop"],
};

const create = (json: unknown, path = "/hosts/1/guests"): Case["request"] => ({ method: "POST", path, json });

/** A request that differs in some fields from one that would be queued. */
const refused = (
  id: string,
  must: string,
  changes: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): Case => ({
  id: `creation/${id}`,
  must: `MUST answer 422 that names ${fields.join(", ")} when ${must}`,
  request: create({ ...MACHINE, ...changes }),
  status: 422,
  body: { success: false, data: null },
  error: new RegExp(`^${fields.map((field) => `${field}: [^;]+`).join("; ")}$`),
});

const conflict = (id: string, must: string, request: Case["request"], error: RegExp): Case => ({
  id: `creation/${id}`,
  must: `MUST answer 409 when ${must}`,
  request,
  status: 409,
  body: { success: false, data: null },
  error,
});

export const creationCases: readonly Case[] = [
  {
    id: "creation/machine",
    must: "MUST queue a virtual machine on the named node and say where its disk goes",
    request: create(MACHINE),
    status: 202,
    fields: ["queued", "job_id", "vmid", "placement"],
    body: {
      success: true,
      data: { queued: true, vmid: 5000, placement: { host_id: 1, node: "pve1", storage: "local" } },
      error: null,
    },
  },
  {
    id: "creation/container-auto",
    must: "MUST choose the node and the next free VMID for auto",
    request: create(CONTAINER),
    status: 202,
    body: { data: { queued: true, vmid: 160, placement: { node: "pve1" } } },
  },
  {
    id: "creation/any-host",
    must: "MUST choose among all hosts when no host is given",
    request: create({ ...CONTAINER, name: "box2" }, "/guests"),
    status: 202,
    body: { data: { queued: true, placement: { host_id: 1, node: "pve1" } } },
  },
  {
    id: "creation/form",
    must: "MUST take a form, with numbers as text",
    request: {
      method: "POST",
      path: "/hosts/1/guests",
      form: {
        type: "qemu",
        node: "auto",
        name: "formed",
        plan_id: "1",
        cores: "",
        os_template: "tpl:1",
        password: "correct horse",
      },
    },
    status: 202,
  },
  {
    id: "creation/form-list",
    must: "MUST read a list in a form as PHP numbers it",
    request: {
      method: "POST",
      path: "/hosts/1/guests",
      form: { type: "qemu", node: "auto", "ssh_keys[0]": CONTAINER.ssh_keys[0] ?? "", "ssh_keys[1]": "nonsense" },
    },
    status: 422,
    error: /ssh_keys\[1\]: is no OpenSSH public key$/,
  },
  {
    id: "creation/numbers-as-text",
    must: "MUST take numbers as text in JSON",
    request: create({ ...MACHINE, vmid: "5001", cores: "1", memory_mb: "512", disk_gb: "10" }),
    status: 202,
    body: { data: { vmid: 5001 } },
  },
  {
    id: "creation/zone",
    must: "MUST take an address of a zone, and ignore unknown fields",
    request: create({ ...CONTAINER, name: "box3", ip_source: "zone:1", colour: "red" }),
    status: 202,
  },
  {
    id: "creation/one-key-as-text",
    must: "MUST take one key as text",
    request: create({ ...CONTAINER, name: "box4", ssh_keys: CONTAINER.ssh_keys[0] }),
    status: 202,
  },
  refused(
    "nothing",
    "nothing is sent",
    {
      type: undefined,
      node: undefined,
      name: undefined,
      cores: undefined,
      memory_mb: undefined,
      disk_gb: undefined,
      os_template: undefined,
      vmid: undefined,
      password: undefined,
    },
    ["type", "node", "name", "cores", "memory_mb", "disk_gb", "vmid", "password"],
  ),
  refused("type", "type is unknown", { type: "kvm" }, ["type"]),
  refused("type-and-name", "type is unknown and name malformed", { type: 5, name: "-" }, ["type", "name"]),
  refused("numbers", "numbers are none", { cores: "two", memory_mb: -1, disk_gb: 1.5 }, [
    "cores",
    "memory_mb",
    "disk_gb",
  ]),
  refused("name", "the name is no DNS name", { name: "web 1" }, ["name"]),
  refused("name-number", "the name is a number", { name: 5 }, ["name"]),
  refused("name-null-byte", "the name has a null byte", { name: "web\0" }, ["name"]),
  refused("node-malformed", "the node is malformed", { node: "pve_1" }, ["node"]),
  refused("node-unknown", "the host has no such node", { node: "pve9" }, ["node"]),
  refused("vmid-missing", "a node is named without a VMID", { vmid: null }, ["vmid"]),
  refused("vmid-small", "the VMID is below 100", { vmid: 99 }, ["vmid"]),
  refused("vmid-large", "the VMID is above 999999999", { vmid: 1_000_000_000 }, ["vmid"]),
  refused("password-short", "the password has 7 characters", { password: "1234567" }, ["password"]),
  refused("no-access", "neither password nor keys are given", { password: null }, ["password"]),
  refused("key", "a key is malformed", { ssh_keys: [CONTAINER.ssh_keys[0], "nonsense"] }, ["ssh_keys\\[1\\]"]),
  refused(
    "key-beside",
    "a key is malformed beside a field that cannot be read",
    { owner_id: "ann", ssh_keys: ["nonsense"] },
    ["owner_id", "ssh_keys\\[0\\]"],
  ),
  refused("keys-many", "there are more than 100 keys", { ssh_keys: Array(101).fill(CONTAINER.ssh_keys[0]) }, [
    "ssh_keys",
  ]),
  refused("keys-object", "keys are no list", { ssh_keys: { a: 1 } }, ["ssh_keys"]),
  refused("template", "the template is unknown", { os_template: "tpl:99" }, ["os_template"]),
  refused("template-form", "the template is of the wrong form", { os_template: "debian" }, ["os_template"]),
  refused(
    "template-file-unknown",
    "no node has the template file",
    { type: "lxc", os_template: "local:vztmpl/nowhere.tar.xz" },
    ["os_template"],
  ),
  refused("plan-inactive", "the plan is not active", { plan_id: 2, cores: null, memory_mb: null, disk_gb: null }, [
    "plan_id",
  ]),
  refused("owner", "the owner is unknown", { owner_id: 99 }, ["owner_id"]),
  refused("zone-form", "the source of the address is malformed", { ip_source: "zone:x" }, ["ip_source"]),
  refused("zone-elsewhere", "the zone is of another host", { ip_source: "zone:3" }, ["ip_source"]),
  refused("disk-small", "the disk is smaller than the template's", { disk_gb: 2 }, ["disk_gb"]),
  {
    id: "creation/any-host-named-node",
    must: "MUST answer 422 when a node is named but no host",
    request: create(MACHINE, "/guests"),
    status: 422,
    error: /^node: /,
  },
  {
    id: "creation/unknown-host-first",
    must: "MUST answer 404 for an unknown host before it looks at the body",
    request: create({ type: "kvm" }, "/hosts/99/guests"),
    status: 404,
  },
  {
    id: "creation/unknown-host-broken-body",
    must: "MUST answer 404 for an unknown host even when the body is broken",
    request: { method: "POST", path: "/hosts/99/guests", raw: "{", headers: { "Content-Type": "application/json" } },
    status: 404,
  },
  {
    id: "creation/scope",
    must: "MUST answer 403 for a host out of scope before it looks at the body",
    request: { ...create({}, "/hosts/2/guests"), token: "scoped" },
    status: 403,
  },
  {
    id: "creation/template-out-of-scope",
    must: "MUST answer 422 when the zone's host is out of scope",
    request: { ...create({ ...CONTAINER, ip_source: "zone:3" }, "/guests"), token: "scoped" },
    status: 422,
    error: /^ip_source: /,
  },
  conflict("vmid-taken", "the VMID is taken", create({ ...MACHINE, vmid: 100 }), /100/),
  conflict("vmid-reserved", "the VMID is reserved by another creation", create({ ...MACHINE, vmid: 5000 }), /5000/),
  conflict(
    "maintenance",
    "the host is in maintenance",
    create({ ...CONTAINER, name: "m" }, "/hosts/4/guests"),
    /maintenance/,
  ),
  conflict("offline", "the named node is offline", create({ ...CONTAINER, node: "pve2", vmid: 5010 }), /pve2/),
  conflict("zone-full", "the IP zone is full", create({ ...CONTAINER, ip_source: "zone:2" }), /zone/i),
  conflict(
    "no-room-anywhere",
    "no node of any host has room",
    create({ ...CONTAINER, plan_id: null, cores: 99, memory_mb: 1024, disk_gb: 1 }, "/guests"),
    /pve1/,
  ),
  conflict(
    "no-room",
    "no node has room",
    create({ ...CONTAINER, plan_id: null, cores: 1, memory_mb: 999_999, disk_gb: 1 }),
    /pve1.*999999|999999.*pve1/s,
  ),
];

const raw = (id: string, must: string, content: string | Uint8Array<ArrayBuffer>, type: string | null): Case => ({
  id: `body/${id}`,
  must,
  request: {
    method: "POST",
    path: "/users",
    raw: content,
    headers: type === null ? {} : { "Content-Type": type },
  },
  status: 422,
  error: /^body: /,
});

export const bodyCases: readonly Case[] = [
  raw("broken", "MUST answer 422 when the JSON is broken", `{"email":`, "application/json"),
  raw("array", "MUST answer 422 when the JSON is a list", "[]", "application/json"),
  raw("null", "MUST answer 422 when the JSON is null", "null", "application/json"),
  raw("number", "MUST answer 422 when the JSON is a number", "5", "application/json; charset=utf-8"),
  raw("deep", "MUST answer 422 when the JSON is nested without end", "[".repeat(200_000), "application/json"),
  raw(
    "not-utf-8",
    "MUST answer 422 when the body is not UTF-8",
    new Uint8Array([0x7b, 0xff, 0x7d]),
    "application/json",
  ),
  raw("other-type", "MUST answer 422 for a body of another type", "<user/>", "application/xml"),
  raw("multipart", "MUST answer 422 for multipart", "--x--", "multipart/form-data; boundary=x"),
  {
    id: "body/none",
    must: "MUST answer 422 that names what is missing when there is no body",
    request: { method: "POST", path: "/users" },
    status: 422,
    error: /^email: [^;]+; username: [^;]+$/,
  },
  {
    id: "body/large",
    must: "MUST answer 413 for a body above 1 MiB",
    request: { method: "POST", path: "/users", json: { email: "x".repeat(1024 * 1024) } },
    status: 413,
    body: { success: false, data: null, error: "The body is larger than 1 MiB" },
  },
  {
    id: "body/compressed-unknown",
    must: "MUST answer 415 for an encoding that nobody knows",
    request: { method: "POST", path: "/users", raw: "x", headers: { "Content-Encoding": "zip" } },
    status: 415,
  },
  {
    id: "body/prototype",
    must: "MUST NOT take fields from the prototype",
    request: {
      method: "POST",
      path: "/users",
      raw: `{"__proto__":{"email":"p@example.com","username":"p"}}`,
      headers: { "Content-Type": "application/json" },
    },
    status: 422,
    error: /^email: [^;]+; username: [^;]+$/,
  },
];
