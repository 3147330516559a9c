// Cases of the order of checks (token, address, rate, scope, record, input, state, platform), and of what a state forbids.
import type { RestService } from "../support/service.js";
import type { Case, CaseRequest } from "../support/case.js";
import type { World } from "../support/world.js";

const post = (path: string, json: unknown): CaseRequest => ({ method: "POST", path, json });

/** Uses up the minute of the token that has two requests. */
async function useUpMinute({ base }: RestService, { tokens }: World): Promise<void> {
  for (let call = 1; call <= 2; call++) {
    const response = await fetch(`${base}/hosts`, { headers: { Authorization: `Bearer ${tokens.limited}` } });
    await response.arrayBuffer();
  }
}

/** Guests beyond those that all cases share, each in a state of its own. */
async function furnish({ services }: RestService): Promise<void> {
  await services.pool.query(`
    insert into guest (host_id, node_id, type, vmid, name, disk_bytes, template, safety_copy)
    values (1, 1, 'qemu', 701, 'copy', 10737418240, false, true), (1, 1, 'qemu', 702, 'template', 10737418240, true, false),
           (1, 1, 'qemu', 703, 'tiny', 1073741824, false, false), (1, 1, 'lxc', 704, 'box', 10737418240, false, false),
           (2, 3, 'qemu', 705, 'far copy', 0, false, true)
    on conflict do nothing`);
}

const power = (vmid: number, body: unknown, { host = 1, type = "qemu" } = {}): CaseRequest =>
  post(`/hosts/${host}/guests/${type}/${vmid}/power`, body);
const reinstall = (vmid: number, body: unknown, type = "qemu"): CaseRequest =>
  post(`/hosts/1/guests/${type}/${vmid}/reinstall`, body);
const assign = (body: unknown, user = "2"): CaseRequest => post(`/users/${user}/guests`, body);

const IMAGE = { os_template: "tpl:1", password: "correct horse" };

const refusedReinstall = (id: string, when: string, request: CaseRequest, error: RegExp): Case => ({
  id: `reinstall/${id}`,
  must: `MUST answer 422 when ${when}`,
  given: furnish,
  request,
  status: 422,
  error,
});

const conflict = (id: string, when: string, request: CaseRequest, error: RegExp): Case => ({
  id,
  must: `MUST answer 409 when ${when}`,
  given: furnish,
  request,
  status: 409,
  body: { success: false, data: null },
  error,
});

const carriedOut = (action: string, type: string, vmid: number): Case => ({
  id: `power/${action}-${type}`,
  must: `MUST carry out ${action} on ${type}`,
  given: furnish,
  request: power(vmid, { node: "pve1", action }, { type }),
  status: 200,
  fields: ["upid"],
});

export const orderCases: readonly Case[] = [
  {
    id: "order/rate-before-route",
    must: "MUST answer 429 with the short body and not 404 when the minute is used up",
    given: useUpMinute,
    request: { method: "GET", path: "/nonsense", token: "limited" },
    status: 429,
    headers: { "retry-after": /^60$/, "x-ratelimit-remaining": /^0$/ },
  },
  {
    id: "order/rate-before-input",
    must: "MUST answer 429 before it looks at the body",
    given: useUpMinute,
    request: { ...post("/users", "nonsense"), token: "limited" },
    status: 429,
  },
  {
    id: "order/address-before-scope",
    must: "MUST answer 403 for the source address before anything is looked up",
    request: { method: "GET", path: "/hosts/99/nodes/pve_1", token: "restricted" },
    status: 403,
    body: { error: "The token may not be used from 127.0.0.1" },
  },
  {
    id: "order/input-before-maintenance",
    must: "MUST answer 422 and not 409 for a malformed creation on a host in maintenance",
    request: post("/hosts/4/guests", { type: "lxc", node: "auto", name: "m", plan_id: 1, password: "short" }),
    status: 422,
    error: /os_template: .*password: /,
  },
  {
    id: "order/input-before-busy",
    must: "MUST answer 422 and not 409 for a malformed order to a busy guest",
    request: power(101, { node: "pve1", action: "explode" }),
    status: 422,
    error: /^action: /,
  },
  {
    id: "order/state-before-platform",
    must: "MUST answer 409 and not 502 for a safety copy whose host cannot be reached",
    given: furnish,
    request: power(705, { node: "pve1", action: "start" }, { host: 2 }),
    status: 409,
  },
  {
    id: "order/record-before-form",
    must: "MUST answer 404 for an unknown user even when the body has an unknown type",
    request: { method: "POST", path: "/users/99/guests", raw: "<x/>", headers: { "Content-Type": "text/xml" } },
    status: 404,
  },
  ...["start", "stop", "shutdown", "reboot", "suspend", "resume"].flatMap((action) => [
    carriedOut(action, "qemu", 703),
    carriedOut(action, "lxc", 704),
  ]),
  {
    id: "power/empty-node",
    must: "MUST answer 422 that names node when it is left blank in a form",
    request: { method: "POST", path: "/hosts/1/guests/qemu/103/power", form: { node: "", action: "start" } },
    status: 422,
    error: /^node: is required$/,
  },
  {
    id: "power/node-of-other-host",
    must: "MUST answer 422 when only another host has the node",
    request: power(103, { node: "pve4", action: "start" }),
    status: 422,
    error: /^node: is no node of the host$/,
  },
  conflict("power/template", "the guest is a template", power(702, { node: "pve1", action: "start" }), /template/),
  conflict("reinstall/safety-copy", "the guest is a safety copy", reinstall(701, IMAGE), /safety copy/),
  conflict("reinstall/template", "the guest is a template", reinstall(702, IMAGE), /template/),
  refusedReinstall("small-disk", "the guest's disk is smaller than the template's", reinstall(703, IMAGE), /^os_temp/),
  refusedReinstall(
    "template-of-other-type",
    "a container is to be made from a machine's template",
    reinstall(704, IMAGE, "lxc"),
    /^os_template: must be the volume id of a template file$/,
  ),
  refusedReinstall(
    "library-for-machine",
    "a machine is to be made from the container library",
    reinstall(703, { lxc_template_id: 1, password: "correct horse" }),
    /^os_template: [^;]+; lxc_template_id: is for containers only$/,
  ),
  refusedReinstall(
    "both-images",
    "a container is to be made from two things",
    reinstall(704, { os_template: "local:vztmpl/alpine.tar.xz", lxc_template_id: 1, password: "correct horse" }, "lxc"),
    /^lxc_template_id: /,
  ),
  refusedReinstall(
    "file-elsewhere",
    "the guest's node does not have the file",
    reinstall(704, { os_template: "local:vztmpl/nowhere.tar.xz", password: "correct horse" }, "lxc"),
    /^os_template: is not available on node pve1$/,
  ),
  {
    id: "reinstall/form",
    must: "MUST queue the reinstallation of a container that a form asks for",
    given: furnish,
    request: {
      method: "POST",
      path: "/hosts/1/guests/lxc/704/reinstall",
      form: { lxc_template_id: "1", os_template: "", password: "correct horse" },
    },
    status: 202,
    body: { data: { queued: true, vmid: 704 } },
  },
  {
    id: "reinstall/owners-keys",
    must: "MUST count the owner's stored keys",
    request: reinstall(100, { os_template: "tpl:1" }),
    status: 202,
  },
  conflict(
    "delete/while-reinstalling",
    "another job holds the guest",
    { method: "DELETE", path: "/hosts/1/guests/lxc/704" },
    /busy/,
  ),
  conflict("assign/busy", "another job holds the guest", assign({ host_id: 1, type: "lxc", vmid: 704 }), /busy/),
  conflict(
    "assign/safety-copy",
    "the guest is a safety copy",
    assign({ host_id: "1", type: "qemu", vmid: "701" }),
    /safety copy/,
  ),
  {
    id: "assign/again",
    must: "MUST answer 200 also when the user has the guest already",
    request: assign({ host_id: 1, type: "qemu", vmid: 120 }),
    status: 200,
    body: { data: { owner_id: 2 } },
  },
  {
    id: "assign/operator",
    must: "MUST answer 404 for a user who is no customer",
    request: assign({ host_id: 1, type: "qemu", vmid: 121 }, "1"),
    status: 404,
  },
  {
    id: "assign/malformed",
    must: "MUST answer 422 that names every offending field",
    request: assign({ host_id: "1e0", type: "QEMU", vmid: 1.5 }),
    status: 422,
    error: /^host_id: [^;]+; type: must be qemu or lxc; vmid: [^;]+$/,
  },
  {
    id: "assign/unknown-host",
    must: "MUST answer 404 for a guest of an unknown host: the body names a record",
    request: assign({ host_id: 99, type: "qemu", vmid: 100 }),
    status: 404,
  },
  {
    id: "creation/owner-operator",
    must: "MUST answer 422 when the owner is no customer",
    request: post("/guests", {
      type: "lxc",
      node: "auto",
      name: "owned",
      plan_id: 1,
      lxc_template_id: 1,
      owner_id: 1,
      password: "correct horse",
    }),
    status: 422,
    error: /^owner_id: is no known user$/,
  },
  {
    id: "creation/owners-keys",
    must: "MUST count the owner's stored keys",
    request: post("/guests", { type: "lxc", node: "auto", name: "keyed", plan_id: 1, lxc_template_id: 1, owner_id: 2 }),
    status: 202,
  },
  {
    id: "creation/zone-and-template-apart",
    must: "MUST answer 422 when the zone is of another host than the template",
    request: post("/guests", {
      type: "qemu",
      node: "auto",
      name: "torn",
      plan_id: 1,
      os_template: "tpl:1",
      ip_source: "zone:3",
      password: "correct horse",
    }),
    status: 422,
    error: /^ip_source: is on another host than the template$/,
  },
  {
    id: "jobs/of-creation",
    must: "MUST give the job that a creation was told",
    request: { method: "GET", path: "/hosts/1/jobs/3" },
    status: 200,
    body: { data: { id: 3, kind: "guest_create", status: "queued", vmid: 5000, finished_at: null } },
  },
];
