// Answers the task endpoints: lists, status, logs, stopping.
import { anyone } from "../access/requirement.js";
import type { ApiAnswer } from "../api.js";
import { failure, parameterError } from "../api.js";
import { splitList } from "../parameters/lists.js";
import type { Parameters } from "../parameters/parameters.js";
import type { Call, Route } from "../route.js";
import { answer } from "../route.js";
import { splitTokenId } from "../state/access.js";
import type { Task } from "../state/task.js";
import { taskOutcome } from "../state/task.js";
import type { UpidParts } from "./upid.js";
import { decodeUpid } from "./upid.js";

type Row = Record<string, unknown>;

/** One's own tasks; a user also owns what the user's tokens started, a token only what it started itself. */
function owns(call: Call, taskUser: string): boolean {
  return taskUser === call.identity.label || splitTokenId(taskUser)?.user === call.identity.label;
}

function parsed(call: Call): UpidParts {
  const parts = decodeUpid(call.parameters.text("upid"));
  if (parts === null) throw parameterError({ upid: "unable to parse worker upid" });
  return parts;
}

/** The task of this node that the UPID names, or null when the node does not know it. */
function known(call: Call): Task | null {
  const task = call.platform.tasks.find(call.parameters.text("upid"));
  return task !== null && task.node === call.parameters.text("node") ? task : null;
}

function existing(call: Call): Task {
  parsed(call);
  const task = known(call);
  if (task === null) throw parameterError({ upid: "no such task" });
  return task;
}

function permit(call: Call, task: UpidParts, privilege: string): void {
  if (owns(call, task.user)) return;
  call.platform.permissions.check(call.identity.label, `/nodes/${call.parameters.text("node")}`, [privilege]);
}

/** User and token apart, as every endpoint but the active list shows them. */
function userColumns(label: string): Row {
  const token = splitTokenId(label);
  return token === null ? { user: label } : { user: token.user, tokenid: token.token };
}

function processColumns(task: UpidParts & { upid: string }): Row {
  const { upid, node, pid, pstart, starttime, type, id } = task;
  return { upid, node, pid, pstart, starttime, type, id };
}

function status(call: Call): ApiAnswer {
  const task = existing(call);
  permit(call, task, "Sys.Audit");
  const ended = task.exitstatus === null ? { status: "running" } : { status: "stopped", exitstatus: task.exitstatus };
  return answer({ ...processColumns(task), ...userColumns(task.user), ...ended });
}

function log(call: Call): ApiAnswer {
  permit(call, parsed(call), "Sys.Audit");
  const task = known(call);
  if (call.parameters.flag("download")) return download(call, task);
  if (task === null) return page([{ n: 1, t: "unable to open file - No such file or directory" }], 1);
  if (task.lines.length === 0) return page([{ n: 1, t: "no content" }], 1);
  const start = call.parameters.number("start") ?? 0;
  const limit = call.parameters.number("limit") ?? 50;
  const end = limit === 0 ? undefined : start + limit;
  const lines = task.lines.slice(start, end).map((t, index) => ({ n: start + index + 1, t }));
  return page(lines, task.lines.length);
}

/** The whole log as one text. */
function download(call: Call, task: Task | null): ApiAnswer {
  if (call.parameters.has("start") || call.parameters.has("limit"))
    throw failure("'download' cannot be used together with 'start' or 'limit' parameters");
  if (task === null) throw failure("unable to open file - No such file or directory");
  return { data: null, text: task.lines.map((line) => `${line}\n`).join("") };
}

function page(data: unknown[], total: number): ApiAnswer {
  return { data, total };
}

async function stop(call: Call): Promise<ApiAnswer> {
  const task = existing(call);
  permit(call, task, "Sys.Modify");
  await call.platform.tasks.stop(task.upid);
  return answer(null);
}

function activeRow(task: Task): Row {
  return { ...processColumns(task), user: task.user, status: "RUNNING", saved: "0" };
}

function archiveRow(task: Task): Row {
  return { ...processColumns(task), ...userColumns(task.user), endtime: task.endtime, status: task.exitstatus };
}

/** Whether a task passes the filters of a list. */
function selects(parameters: Parameters, task: Task): boolean {
  const { user, starttime } = task;
  const shownUser = task.exitstatus === null ? user : String(userColumns(user).user);
  const wantedUser = parameters.optional("userfilter");
  const type = parameters.optional("typefilter");
  const vmid = parameters.optional("vmid");
  return (
    (wantedUser === undefined || shownUser.toLowerCase().includes(wantedUser.toLowerCase())) &&
    (type === undefined || task.type === type) &&
    (vmid === undefined || task.id === vmid) &&
    starttime >= (parameters.number("since") ?? 0) &&
    starttime <= (parameters.number("until") ?? Number.POSITIVE_INFINITY) &&
    outcomes(parameters).has(taskOutcome(task.exitstatus))
  );
}

function outcomes(parameters: Parameters): ReadonlySet<string> {
  if (parameters.flag("errors")) return new Set(["warning", "error", "unknown"]);
  const wanted = parameters.optional("statusfilter");
  if (wanted === undefined) return new Set(["ok", "warning", "error", "unknown"]);
  return new Set(splitList(wanted).map((outcome) => outcome.toLowerCase()));
}

function list(call: Call): ApiAnswer {
  const { parameters, platform, identity } = call;
  const node = parameters.text("node");
  const source = parameters.optional("source") ?? "archive";
  const sees = platform.permissions.has(identity.label, `/nodes/${node}`, ["Sys.Audit"]);
  const tasks = [
    ...(source === "archive" ? [] : platform.tasks.active()),
    ...(source === "active" ? [] : platform.tasks.archive()),
  ].filter((task) => task.node === node && (sees || owns(call, task.user)) && selects(parameters, task));
  const start = parameters.number("start") ?? 0;
  const rows = tasks.slice(start, start + (parameters.number("limit") ?? 50));
  return page(
    rows.map((task) => (task.exitstatus === null ? activeRow(task) : archiveRow(task))),
    tasks.length,
  );
}

/** The newest tasks of all members, as they tell each other about them. */
function clusterList(call: Call): ApiAnswer {
  const { tasks, permissions } = call.platform;
  const rows = [...tasks.active(), ...tasks.archive()]
    .filter(
      (task) => owns(call, task.user) || permissions.has(call.identity.label, `/nodes/${task.node}`, ["Sys.Audit"]),
    )
    .slice(0, 25)
    .map(clusterRow);
  return answer(rows);
}

function clusterRow(task: Task): Row {
  const { upid, node, starttime, type, id } = task;
  const ended = task.exitstatus === null ? {} : { endtime: task.endtime, status: task.exitstatus };
  return {
    upid,
    node,
    starttime,
    type,
    id,
    ...userColumns(task.user),
    ...ended,
    saved: task.exitstatus === null ? "0" : "1",
  };
}

export const taskRoutes: Route[] = [
  { method: "GET", path: "/cluster/tasks", requires: anyone, handle: clusterList },
  { method: "GET", path: "/nodes/{node}/tasks", requires: anyone, handle: list },
  {
    method: "GET",
    path: "/nodes/{node}/tasks/{upid}",
    requires: anyone,
    handle: () => answer([{ name: "log" }, { name: "status" }]),
  },
  { method: "GET", path: "/nodes/{node}/tasks/{upid}/status", requires: anyone, handle: status },
  { method: "GET", path: "/nodes/{node}/tasks/{upid}/log", requires: anyone, handle: log },
  { method: "DELETE", path: "/nodes/{node}/tasks/{upid}", requires: anyone, handle: stop },
];
