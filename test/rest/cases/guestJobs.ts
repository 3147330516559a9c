// Cases of giving guests to users, of reinstalling and of deleting them.
import type { Case } from "../support/case.js";

const assign = (json: unknown, path = "/users/2/guests"): Case["request"] => ({ method: "POST", path, json });

export const assignmentCases: readonly Case[] = [
  {
    id: "assign/form",
    must: "MUST give the guest to the user and answer with the guest",
    request: { method: "POST", path: "/users/2/guests", form: { host_id: "1", type: "qemu", vmid: "120" } },
    status: 200,
    body: { success: true, data: { type: "qemu", vmid: 120, host_id: 1, owner_id: 2 }, error: null },
  },
  {
    id: "assign/nothing",
    must: "MUST answer 422 that names every missing field",
    request: assign({}),
    status: 422,
    error: /^host_id: is required; type: is required; vmid: is required$/,
  },
  {
    id: "assign/unknown-user",
    must: "MUST answer 404 for an unknown user before it looks at the body",
    request: assign({}, "/users/99/guests"),
    status: 404,
  },
  {
    id: "assign/unknown-guest",
    must: "MUST answer 404 for an unknown guest",
    request: assign({ host_id: 1, type: "lxc", vmid: 120 }),
    status: 404,
  },
  {
    id: "assign/out-of-scope",
    must: "MUST answer 403 for a host outside the token's scope",
    request: { ...assign({ host_id: 2, type: "qemu", vmid: 100 }), token: "scoped" },
    status: 403,
  },
];

const reinstall = (json: unknown, path = "/hosts/1/guests/qemu/130/reinstall"): Case["request"] => ({
  method: "POST",
  path,
  json,
});

export const reinstallCases: readonly Case[] = [
  {
    id: "reinstall/accepted",
    must: "MUST queue a job and answer 202",
    request: reinstall({ os_template: "tpl:1", password: "correct horse" }),
    status: 202,
    fields: ["queued", "job_id", "vmid"],
    body: { success: true, data: { queued: true, vmid: 130 }, error: null },
  },
  {
    id: "reinstall/busy",
    must: "MUST answer 409 while another job holds the guest",
    request: reinstall({ os_template: "tpl:1", password: "correct horse" }),
    status: 409,
    error: /busy/,
  },
  {
    id: "reinstall/nothing",
    must: "MUST answer 422 that names every missing field",
    request: reinstall({}, "/hosts/1/guests/qemu/131/reinstall"),
    status: 422,
    error: /^os_template: [^;]+; password: [^;]+$/,
  },
  {
    id: "reinstall/unreadable",
    must: "MUST answer 422 that names every offending field when some cannot even be read",
    request: reinstall({ os_template: 5, password: "short", ssh_keys: 7 }, "/hosts/1/guests/qemu/131/reinstall"),
    status: 422,
    error: /os_template: .*ssh_keys: .*password: /,
  },
  {
    id: "reinstall/key-beside",
    must: "MUST name a malformed key beside a field that cannot be read",
    request: reinstall({ os_template: 5, ssh_keys: ["nonsense"] }, "/hosts/1/guests/qemu/131/reinstall"),
    status: 422,
    error: /^os_template: [^;]+; ssh_keys\[0\]: [^;]+$/,
  },
  {
    id: "reinstall/neither-template",
    must: "MUST name a template that is not there beside one that is for containers",
    request: reinstall(
      { os_template: "tpl:999", lxc_template_id: 999, password: "correct horse" },
      "/hosts/1/guests/qemu/131/reinstall",
    ),
    status: 422,
    error: /^lxc_template_id: [^;]+; os_template: [^;]+$/,
  },
  {
    id: "reinstall/malformed-template",
    must: "MUST name a malformed template once, not again for a template that is not there",
    request: reinstall({ os_template: "tpl:none", password: "correct horse" }, "/hosts/1/guests/qemu/131/reinstall"),
    status: 422,
    error: /^os_template: [^;]+$/,
  },
  {
    id: "reinstall/unknown",
    must: "MUST answer 404 for an unknown guest before it looks at the body",
    request: reinstall({ password: 1 }, "/hosts/1/guests/qemu/999/reinstall"),
    status: 404,
  },
];

const remove = (path: string): Case["request"] => ({ method: "DELETE", path });

export const deletionCases: readonly Case[] = [
  {
    id: "delete/accepted",
    must: "MUST queue a job and answer 202",
    request: remove("/hosts/1/guests/qemu/140"),
    status: 202,
    fields: ["queued", "job_id", "vmid"],
    body: { success: true, data: { queued: true, vmid: 140 }, error: null },
  },
  {
    id: "delete/busy",
    must: "MUST answer 409 while another job holds the guest",
    request: remove("/hosts/1/guests/qemu/140"),
    status: 409,
  },
  {
    id: "delete/safety-copy",
    must: "MUST delete a safety copy",
    given: async ({ services }) => {
      await services.pool.query(`update guest set safety_copy = true where host_id = 1 and vmid = 141`);
    },
    request: remove("/hosts/1/guests/qemu/141"),
    status: 202,
  },
  {
    id: "delete/unknown",
    must: "MUST answer 404 for an unknown guest, and for one that is gone",
    request: remove("/hosts/1/guests/qemu/900"),
    status: 404,
  },
  {
    id: "delete/other-type",
    must: "MUST answer 404 for a guest of the other type",
    request: remove("/hosts/1/guests/lxc/142"),
    status: 404,
  },
];
