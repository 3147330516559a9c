// Asks about tasks: one task's state and log, the newest tasks, those that hold a guest.
import { z } from "zod";
import type { TaskStatus, Upid } from "../task.js";
import { PlatformReason, platformError } from "../platformError.js";
import type { Ask } from "./client.js";
import { amountOrNull, listOf, moment, momentOrNull, numberIn, text, textOrNull, understand } from "./parse.js";
import { apiPath } from "./path.js";
import { upidParts, upidTarget } from "./upid.js";

const described = {
  upid: text,
  node: text,
  type: text,
  id: textOrNull,
  user: text,
  tokenid: textOrNull,
  starttime: moment,
};

const statusAnswer = z.object({ ...described, status: text, exitstatus: textOrNull });

/** A row of a list: `status` is the exit text, or `RUNNING` or missing for a task that runs. */
const listAnswer = listOf(z.object({ ...described, status: textOrNull, endtime: momentOrNull }));

/** Lines may be empty. */
const logAnswer = listOf(z.object({ n: amountOrNull, t: textOrNull.transform((line) => line ?? "") }));

/** Lines a request: the platform's default is 50, and 0 (all) is not known to the first builds of 7.3. */
const LOG_PAGE = 5000;
/** More is not read at once: a log that never ends must not fill the memory. */
const MOST_LOG_LINES = 100_000;

type Described = Omit<z.output<typeof statusAnswer>, "status" | "exitstatus">;

/** The state alone: one request. `endedAt` is not in it. */
export async function readTaskState(ask: Ask, upid: Upid): Promise<TaskStatus> {
  const path = apiPath`/nodes/${upidParts(upid).node}/tasks/${upid}/status`;
  const { data } = await ask({ method: "GET", path });
  const task = understand(statusAnswer, data, path);
  const running = task.status !== "stopped";
  return { ...about(task), running, exitStatus: running ? null : (task.exitstatus ?? "unknown"), endedAt: null };
}

/** The state, and when the task ended, which only the node's list of tasks tells. */
export const readTask = async (ask: Ask, upid: Upid): Promise<TaskStatus> =>
  withEnd(ask, await readTaskState(ask, upid));

/** Adds the end of an ended task; it stays null when the task is not in the list any longer. */
async function withEnd(ask: Ask, task: TaskStatus): Promise<TaskStatus> {
  if (task.running) return task;
  const { node, startedAt } = upidParts(task.upid);
  const second = startedAt.getTime() / 1000;
  const parameters = { source: "all", since: second, until: second, limit: 500 };
  const started = await readTasks(ask, { path: apiPath`/nodes/${node}/tasks`, parameters });
  return { ...task, endedAt: started.find(({ upid }) => upid === task.upid)?.endedAt ?? null };
}

/** Of every node, newest first. */
export async function readRecentTasks(ask: Ask): Promise<readonly TaskStatus[]> {
  const tasks = await readTasks(ask, { path: "/cluster/tasks", parameters: {} });
  return tasks.toSorted((left, right) => right.startedAt.getTime() - left.startedAt.getTime());
}

/** The list of active tasks keeps ended ones for a while. */
export async function readActiveTasks(ask: Ask, node: string, vmid: number): Promise<readonly TaskStatus[]> {
  const tasks = await readTasksOf(ask, { node, vmid }, { source: "active" });
  return tasks.filter(({ running }) => running);
}

/** Of one guest, running and ended, newest first. */
export async function readGuestTasks(ask: Ask, node: string, vmid: number): Promise<readonly TaskStatus[]> {
  const tasks = await readTasksOf(ask, { node, vmid }, { source: "all", limit: 500 });
  return tasks.toSorted((left, right) => right.startedAt.getTime() - left.startedAt.getTime());
}

/** Whoever stands between may leave the filter out: a task of another guest is never taken for one of this. */
async function readTasksOf(
  ask: Ask,
  { node, vmid }: { node: string; vmid: number },
  parameters: Record<string, string | number>,
): Promise<TaskStatus[]> {
  const tasks = await readTasks(ask, {
    path: apiPath`/nodes/${node}/tasks`,
    parameters: { ...parameters, vmid },
  });
  return tasks.filter(({ targetId }) => targetId === `${vmid}`);
}

async function readTasks(
  ask: Ask,
  { path, parameters }: { path: string; parameters: Record<string, string | number> },
): Promise<TaskStatus[]> {
  const { data } = await ask({ method: "GET", path, parameters });
  return understand(listAnswer, data, path).map((task) => {
    const running = task.endtime === null && (task.status === null || task.status.toUpperCase() === "RUNNING");
    return { ...about(task), running, exitStatus: running ? null : task.status, endedAt: task.endtime };
  });
}

/** Active rows write a token's user as `user!token`, ended ones in two fields. */
function about({ upid, node, type, id, user, tokenid, starttime }: Described) {
  const fullUser = tokenid !== null && !user.includes("!") ? `${user}!${tokenid}` : user;
  return {
    upid,
    node,
    type,
    targetId: id ?? upidTarget(upid),
    user: fullUser,
    startedAt: starttime,
  };
}

/** At most 100,000 lines and a page. @throws DroverError PLATFORM_NOT_FOUND for an unknown task, which the platform answers with a line of text */
export async function readTaskLog(ask: Ask, upid: Upid, start: number): Promise<readonly string[]> {
  const path = apiPath`/nodes/${upidParts(upid).node}/tasks/${upid}/log`;
  const lines: string[] = [];
  for (;;) {
    const parameters = { start: start + lines.length, limit: LOG_PAGE };
    const { data, total } = await ask({ method: "GET", path, parameters });
    const page = understand(logAnswer, data, path);
    const only = page.length === 1 && page[0]?.n === 1 ? page[0].t : "";
    if (only.startsWith("unable to open file")) throw platformError(PlatformReason.NOT_FOUND, `no such task: ${only}`);
    if (only === "no content") return lines;
    lines.push(...page.map(({ t }) => t));
    const isLast = page.length < LOG_PAGE && start + lines.length >= (numberIn(total) ?? 0);
    if (page.length === 0 || isLast || lines.length >= MOST_LOG_LINES) return lines;
  }
}

/** Returns when the task's process is gone, which takes up to five seconds. An ended task is no error. */
export async function stopTask(ask: Ask, upid: Upid): Promise<void> {
  await ask({ method: "DELETE", path: apiPath`/nodes/${upidParts(upid).node}/tasks/${upid}` });
}
