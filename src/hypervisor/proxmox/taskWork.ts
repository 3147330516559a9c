// Reads from the type of a task what it does, and from its exit status whether it succeeded.
import { TaskWork } from "../task.js";

const WORKS: Readonly<Record<string, TaskWork>> = {
  qmstart: TaskWork.START,
  qmreboot: TaskWork.START,
  qmresume: TaskWork.START,
  vzstart: TaskWork.START,
  vzreboot: TaskWork.START,
  vzresume: TaskWork.START,
  hastart: TaskWork.REQUEST_START,
  hastop: TaskWork.REQUEST_STOP,
  qmcreate: TaskWork.CREATE,
  qmrestore: TaskWork.CREATE,
  vzcreate: TaskWork.CREATE,
  vzrestore: TaskWork.CREATE,
  qmdestroy: TaskWork.DESTROY,
  vzdestroy: TaskWork.DESTROY,
  qmigrate: TaskWork.SEND,
  vzmigrate: TaskWork.SEND,
  qmtunnel: TaskWork.RECEIVE,
  vzmtunnel: TaskWork.RECEIVE,
};

export const workOf = (type: string): TaskWork => WORKS[type] ?? TaskWork.OTHER;

/** `OK` and `WARNINGS: n` are successes; everything else is the error text of the task. */
export const isSuccess = (exitStatus: string | null): boolean => /^(?:OK|WARNINGS: \d+)$/.test(exitStatus ?? "");
