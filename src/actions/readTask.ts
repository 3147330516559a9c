// Asks the platform for the state of a task on one of its nodes.
import type { Context } from "../context/context.js";
import { isNodeName } from "../core/names.js";
import { notFound } from "../errors/errors.js";
import { isPlatformError, PlatformReason } from "../hypervisor/platformError.js";
import type { TaskStatus } from "../hypervisor/task.js";

/** Which task is asked for, and whether its log is too. */
interface TaskQuestion {
  readonly hostId: number;
  /** The node that the caller believes to run it. */
  readonly node: string;
  readonly upid: string;
  readonly withLog: boolean;
}

export interface TaskAnswer extends TaskStatus {
  /** Lines of the log; empty when it was not asked for. */
  readonly log: readonly string[];
}

const UPID = /^UPID:([A-Za-z0-9-]+):[0-9A-F]{8}:[0-9A-F]{8,9}:[0-9A-F]{8}:[^:\s]+:[^:\s]*:[^:\s]+:$/i;

/** The caller's node must be the one in the UPID. @throws DroverError notFound, platform */
export async function readTask(context: Context, question: TaskQuestion): Promise<TaskAnswer> {
  const { hostId, node, upid, withLog } = question;
  const [, runsOn] = UPID.exec(upid) ?? [];
  if (!isNodeName(node) || runsOn !== node) throw notFound(`Task ${upid} of node ${node}`);
  const host = await context.hypervisors.prompt(hostId);
  try {
    const [task, log] = await Promise.all([host.task(upid), withLog ? host.taskLog(upid) : []]);
    return { ...task, log };
  } catch (error) {
    if (isPlatformError(error, PlatformReason.NOT_FOUND)) throw notFound(`Task ${upid}`);
    throw error;
  }
}
