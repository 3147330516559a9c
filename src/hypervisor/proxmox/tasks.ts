// Asks about tasks: one task's state, the newest tasks, those that hold a guest.
import { z } from "zod";
import type { TaskStatus, Upid } from "../task.js";
import type { Ask } from "./client.js";
import { momentOrNull } from "./figures.js";
import { listOf, senseless, text, textOrNull, understand } from "./parse.js";
import { apiPath } from "./path.js";
import { readLastWord } from "./taskLog.js";
import { unlessRefused } from "./refusedAnswer.js";
import { isSuccess, workOf } from "./taskWork.js";
import { readUpid, upidParts } from "./upid.js";

/** An exit status may bring the end of its line along. */
const lineOrNull = textOrNull.transform((line) => line?.trim() || null);

/** What the task's id says as well may be missing. */
const described = {
  node: textOrNull,
  type: textOrNull,
  id: textOrNull,
  user: textOrNull,
  tokenid: textOrNull,
  starttime: momentOrNull,
};

const statusAnswer = z
  .object({ ...described, status: lineOrNull, exitstatus: lineOrNull })
  .refine(({ status, exitstatus }) => status !== null || exitstatus !== null, {
    path: ["status"],
    message: "expected a text",
  });

/** A row of a list: `status` is the exit text, or `RUNNING` or missing for a task that runs. */
const listAnswer = listOf(z.object({ ...described, upid: text, status: lineOrNull, endtime: momentOrNull }));

type Described = Omit<z.output<typeof statusAnswer>, "status" | "exitstatus">;

/** A task, and where it is at work, in words. */
interface PlacedTask extends TaskStatus {
  readonly place: string;
}

/** The state alone, in one request unless it lacks the outcome of an ended task; without `endedAt`. */
export async function readTaskState(ask: Ask, upid: Upid): Promise<PlacedTask> {
  const path = apiPath`/nodes/${upidParts(upid).node}/tasks/${upid}/status`;
  const { data, source, place } = await ask({ method: "GET", path });
  const { status, exitstatus, ...task } = understand(statusAnswer, data, source);
  const running = exitstatus === null && status?.toLowerCase() !== "stopped";
  const exitStatus = running ? null : (exitstatus ?? (await readLastWord(ask, upid)) ?? "unknown");
  return { ...about({ ...task, upid }, source), running, ...endedWith(exitStatus), endedAt: null, place };
}

/** The state, and the time of the end, which only the node's list of tasks has. */
export async function readTask(ask: Ask, upid: Upid): Promise<TaskStatus> {
  const { place: _place, ...task } = await readTaskState(ask, upid);
  return withEnd(ask, task);
}

/** Adds the end of an ended task; it stays null when the task is not in the list any longer. */
async function withEnd(ask: Ask, task: TaskStatus): Promise<TaskStatus> {
  if (task.running) return task;
  const { node, startedAt } = upidParts(task.upid);
  const second = startedAt.getTime() / 1000;
  const parameters = { source: "all", since: second, until: second, limit: 500 };
  const started = await unlessRefused(readTasks(ask, { path: apiPath`/nodes/${node}/tasks`, parameters }), () => []);
  return { ...task, endedAt: started.find(({ upid }) => upid === task.upid)?.endedAt ?? null };
}

/** Of every node, newest first. A host that does not know this list, or keeps it from the connection, has none to tell. */
export async function readRecentTasks(ask: Ask): Promise<readonly TaskStatus[]> {
  const tasks = await unlessRefused(readTasks(ask, { path: "/cluster/tasks", parameters: {} }), () => []);
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
  const { data, source } = await ask({ method: "GET", path, parameters });
  return understand(listAnswer, data, source).map((task) => {
    const running = task.endtime === null && (task.status === null || task.status.toUpperCase() === "RUNNING");
    return { ...about(task, source), running, ...endedWith(running ? null : task.status), endedAt: task.endtime };
  });
}

const endedWith = (exitStatus: string | null): Pick<TaskStatus, "exitStatus" | "succeeded"> => ({
  exitStatus,
  succeeded: isSuccess(exitStatus),
});

/**
 * Active rows write a token's user as `user!token`, ended ones in two fields.
 * @throws DroverError PLATFORM_UNINTELLIGIBLE when neither the answer nor the task's id says what the task is
 */
function about({ upid, id, tokenid, ...said }: Described & { readonly upid: Upid }, source: string) {
  const named = readUpid(upid);
  const node = said.node ?? named?.node;
  const type = said.type ?? named?.type;
  const user = said.user ?? named?.user;
  const startedAt = said.starttime ?? named?.startedAt;
  if (node === undefined || type === undefined || user === undefined || startedAt === undefined)
    throw senseless(source, `${upid.slice(0, 100)}: expected a task id, or node, type, user and starttime`);
  const fullUser = tokenid === null || user.endsWith(`!${tokenid}`) ? user : `${user}!${tokenid}`;
  return { upid, node, type, work: workOf(type), targetId: id ?? named?.target ?? null, user: fullUser, startedAt };
}

/** Returns when the task's process is gone, which takes up to five seconds. An ended task is no error. */
export async function stopTask(ask: Ask, upid: Upid): Promise<void> {
  await ask({ method: "DELETE", path: apiPath`/nodes/${upidParts(upid).node}/tasks/${upid}` });
}
