// Cases of what stands in paths and query strings: encoded characters, ids that are none, malformed names, wrong methods.
import type { Case, CaseRequest } from "../support/case.js";
import { TASK } from "../support/platform.js";

const get = (path: string): CaseRequest => ({ method: "GET", path });
const missing = (id: string, path: string, must: string): Case => ({ id, must, request: get(path), status: 404 });

const malformedNode = (id: string, segment: string, what: string): Case => ({
  id: `nodes/${id}`,
  must: `MUST answer 422 that names node for ${what} in the path`,
  request: get(`/hosts/1/nodes/${segment}`),
  status: 422,
  body: { success: false, data: null },
  error: /^node: must be a node name/,
});

export const nodeNameCases: readonly Case[] = [
  malformedNode("null-byte", "pve%001", "a name with a null byte"),
  malformedNode("only-null-byte", "%00", "a null byte alone"),
  malformedNode("bad-encoding", "%ff", "what is no percent-encoded UTF-8"),
  malformedNode("encoded-slash", "pve1%2fqemu", "a name with an encoded slash"),
  malformedNode("encoded-space", "pve%201", "a name with a space"),
  malformedNode("leading-hyphen", "-pve1", "a name that begins with a hyphen"),
  malformedNode("dotted", "pve1.example.com", "a name of several labels"),
  malformedNode("unicode", "pv%C3%A9", "a name with a letter beyond ASCII"),
  malformedNode("too-long", "p".repeat(64), "a name of 64 characters"),
  missing("nodes/longest", `/hosts/1/nodes/${"p".repeat(63)}`, "MUST answer 404 for an unknown name of 63 characters"),
  missing("nodes/upper-case", "/hosts/1/nodes/PVE1", "MUST answer 404 for a node's name in another case"),
  {
    id: "nodes/encoded",
    must: "MUST read a name whose letters are percent-encoded",
    request: get("/hosts/1/nodes/%70ve1"),
    status: 200,
    body: { data: { name: "pve1" } },
  },
  {
    id: "tasks/malformed-node",
    must: "MUST answer 422 that names node when the node of a task is malformed",
    request: get(`/hosts/1/tasks/pve_1/${encodeURIComponent(TASK.upid)}`),
    status: 422,
    error: /^node: /,
  },
  missing("tasks/malformed-node-unknown-host", "/hosts/99/tasks/%00/x", "MUST answer 404 for an unknown host first"),
  missing("tasks/unencoded", `/hosts/1/tasks/pve1/a/b`, "MUST answer 404 for a task id whose slash is not encoded"),
  {
    id: "storages/malformed-node",
    must: "MUST answer 422 that names node when the filter is malformed",
    request: get("/hosts/1/storages?node=pve_1"),
    status: 422,
    error: /^node: /,
  },
  {
    id: "networks/null-byte",
    must: "MUST answer 422 that names node when the filter has a null byte",
    request: get("/hosts/1/networks?node=%00"),
    status: 422,
    error: /^node: /,
  },
];

const NO_IDS = ["0", "-1", "1.5", "1e3", "0x64", "+1", "%201"];

export const idCases: readonly Case[] = [
  ...NO_IDS.map((id) =>
    missing(`guests/bad-vmid-${id}`, `/hosts/1/guests/qemu/${id}`, `MUST answer 404 when the VMID is ${id}`),
  ),
  ...["0", "1.5", "1e3", "2147483648"].map((id) =>
    missing(`jobs/bad-id-${id}`, `/hosts/1/jobs/${id}`, `MUST answer 404 when the job's id is ${id}`),
  ),
  missing("ssh-keys/bad-user", "/users/2.0/ssh-keys", "MUST answer 404 when the user's id is 2.0"),
  missing("ssh-keys/huge-user", "/users/2147483648/ssh-keys", "MUST answer 404 for an id beyond all bounds"),
  {
    id: "hosts/encoded-id",
    must: "MUST read an id whose digits are percent-encoded",
    request: get("/hosts/%31/guests?perPage=1"),
    status: 200,
    body: { meta: { total: 60 } },
  },
  {
    id: "access/out-of-scope-huge",
    must: "MUST answer 403 for a positive host id outside the token's scope, however large",
    request: { ...get("/hosts/99999999999999999999/guests"), token: "scoped" },
    status: 403,
  },
  {
    id: "access/no-host-id",
    must: "MUST answer 404 to a scoped token for a host id that is no positive integer",
    request: { ...get("/hosts/0/guests"), token: "scoped" },
    status: 404,
  },
  missing("protocol/trailing-slash", "/hosts/", "MUST answer 404 for a path that ends with a slash"),
  missing("protocol/double-slash", "/hosts//guests", "MUST answer 404 for an empty id"),
  missing("protocol/upper-case", "/Hosts", "MUST answer 404 for a path in another case"),
  missing("protocol/dots", "/hosts/1%2f..%2f2/guests", "MUST NOT resolve dots and slashes that are encoded"),
];

const wrongMethod = (id: string, request: CaseRequest, allow: RegExp): Case => ({
  id: `methods/${id}`,
  must: `MUST answer 405 with Allow to ${request.method} ${request.path}`,
  request,
  status: 405,
  headers: { allow },
});

export const methodCases: readonly Case[] = [
  wrongMethod("options", { method: "OPTIONS", path: "/hosts/1/guests" }, /^GET, HEAD, POST$/),
  wrongMethod("patch", { method: "PATCH", path: "/hosts/1/guests/qemu/100" }, /^GET, HEAD, DELETE$/),
  wrongMethod("delete-list", { method: "DELETE", path: "/hosts/1/guests" }, /^GET, HEAD, POST$/),
  wrongMethod("get-power", { method: "GET", path: "/hosts/1/guests/qemu/100/power" }, /^POST$/),
  wrongMethod("head-creation", { method: "HEAD", path: "/guests" }, /^POST$/),
  wrongMethod("put-user", { method: "PUT", path: "/users" }, /^GET, HEAD, POST$/),
  wrongMethod("post-suggest", { method: "POST", path: "/placement/suggest", json: {} }, /^GET, HEAD$/),
  wrongMethod("post-document", { method: "POST", path: "/openapi.json", json: {} }, /^GET, HEAD$/),
  wrongMethod("get-heartbeat", { method: "GET", path: "/agent/heartbeat", token: "agent" }, /^POST$/),
  {
    id: "methods/without-token",
    must: "MUST answer 401 and not 405 when no token is sent",
    request: { method: "OPTIONS", path: "/hosts", token: null },
    status: 401,
  },
  {
    id: "methods/before-body",
    must: "MUST answer 405 before it looks at the body",
    request: { method: "PUT", path: "/users", raw: "{", headers: { "Content-Type": "application/json" } },
    status: 405,
  },
  {
    id: "methods/head-missing",
    must: "MUST answer HEAD of an unknown record with 404",
    request: { method: "HEAD", path: "/hosts/1/guests/qemu/999" },
    status: 404,
  },
];

export const queryCases: readonly Case[] = [
  {
    id: "query/repeated",
    must: "MUST answer 422 that names a parameter that is sent twice",
    request: get("/hosts/1/guests?page=1&page=2"),
    status: 422,
    error: /^page: must be a positive integer$/,
  },
  {
    id: "query/unknown",
    must: "MUST ignore unknown parameters, also repeated ones",
    request: get("/hosts/1/guests?per_page=1&sort=name&sort=vmid&PAGE=9"),
    status: 200,
    body: { meta: { page: 1, perPage: 50 } },
  },
  {
    id: "query/token",
    must: "MUST NOT take a token from the query string",
    request: { ...get("/hosts?access_token=drv_x&token=drv_x"), token: null },
    status: 401,
  },
  {
    id: "query/huge-page",
    must: "MUST answer the last page that can be asked for with an empty list",
    request: get("/hosts/1/guests?page=2147483647&perPage=200"),
    status: 200,
    body: { data: [], meta: { total: 60 } },
  },
  ...["memory_mb=1024.5", "memory_mb=1e3", "memory_mb=2147483648", "memory_mb=512&memory_mb=1024"].map(
    (memory): Case => ({
      id: `query/placement-${memory}`,
      must: `MUST answer 422 that names memory_mb for ${memory}`,
      request: get(`/placement/suggest?type=lxc&cores=1&disk_gb=1&${memory}`),
      status: 422,
      error: /^memory_mb: must be a positive integer$/,
    }),
  ),
  {
    id: "headers/accept",
    must: "MUST answer JSON whatever is accepted",
    request: { ...get("/hosts"), headers: { Accept: "text/html;q=0.9, application/xml" } },
    status: 200,
    headers: { "content-type": /^application\/json/ },
  },
  {
    id: "headers/mapped-source",
    must: "MUST match an IPv4 source that comes as IPv6",
    request: { ...get("/hosts"), token: "restricted", headers: { "X-Forwarded-For": "::ffff:203.0.113.9" } },
    status: 200,
  },
];
