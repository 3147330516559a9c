// Cases of power orders.
import type { Case } from "../support/case.js";
import { TASK } from "../support/platform.js";

const power = (body: unknown, path = "/hosts/1/guests/qemu/100/power"): Case["request"] => ({
  method: "POST",
  path,
  json: body,
});

export const powerCases: readonly Case[] = [
  {
    id: "power/form",
    must: "MUST take a form and give the id of the platform's task",
    request: {
      method: "POST",
      path: "/hosts/1/guests/qemu/100/power",
      form: { node: "pve1", action: "reboot" },
    },
    status: 200,
    body: { success: true, data: { upid: TASK.upid }, error: null },
  },
  {
    id: "power/stale-node",
    must: "MUST carry the order out where the guest is when another node of the host is named",
    request: power({ node: "pve2", action: "reboot" }),
    status: 200,
  },
  {
    id: "power/nothing",
    must: "MUST answer 422 that names both fields when nothing is sent",
    request: power({}),
    status: 422,
    error: /^node: is required; action: is required$/,
  },
  {
    id: "power/both-wrong",
    must: "MUST answer 422 that names both fields when both are wrong",
    request: power({ node: "pve_1", action: "explode" }),
    status: 422,
    error: /^action: [^;]+; node: [^;]+$/,
  },
  {
    id: "power/upper-case",
    must: "MUST answer 422 for an action in upper case",
    request: power({ node: "pve1", action: "START" }),
    status: 422,
    error: /^action: [^;]+$/,
  },
  {
    id: "power/unknown-node",
    must: "MUST answer 422 when the host has no such node: its name comes in the body",
    request: power({ node: "pve9", action: "start" }),
    status: 422,
    error: /^node: [^;]+$/,
  },
  {
    id: "power/unknown-guest",
    must: "MUST answer 404 for an unknown guest before it looks at the body",
    request: power({ action: "explode" }, "/hosts/1/guests/lxc/100/power"),
    status: 404,
  },
  {
    id: "power/busy",
    must: "MUST answer 409 while a job holds the guest",
    given: async ({ services }) => {
      await services.pool.query(
        "insert into resource_lock (key, job_id) values ('guest:1:101', 1) on conflict do nothing",
      );
    },
    request: power({ node: "pve1", action: "start" }, "/hosts/1/guests/qemu/101/power"),
    status: 409,
  },
  {
    id: "power/safety-copy",
    must: "MUST answer 409 for a safety copy",
    given: async ({ services }) => {
      await services.pool.query("update guest set safety_copy = true where host_id = 1 and vmid = 102");
    },
    request: power({ node: "pve1", action: "start" }, "/hosts/1/guests/qemu/102/power"),
    status: 409,
  },
  {
    id: "power/unreachable",
    must: "MUST answer 502 when the platform cannot be reached",
    request: power({ node: "pve1", action: "start" }, "/hosts/2/guests/qemu/100/power"),
    status: 502,
    body: { success: false, data: null, error: "Host beta cannot be reached" },
  },
];
