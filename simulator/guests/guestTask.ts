// Starts the task in which the work of a call on its guest is done.
import type { ApiAnswer } from "../api.js";
import type { Call } from "../route.js";
import { answer, vmidOf } from "../route.js";
import type { Worker } from "../tasks/worker.js";
import { nodeOf } from "./lookup.js";

/** Work on the guest that a call names. */
interface GuestWork {
  /** Of the task, such as `qmstart`. */
  type: string;
  /** Simulated milliseconds that it is expected to take. */
  expectedMs: number;
  run: (task: Worker) => Promise<void>;
}

/** @returns the UPID of the task */
export function startGuestTask(call: Call, work: GuestWork): string {
  const { platform, identity } = call;
  return platform.tasks.start({ ...work, node: nodeOf(call), id: String(vmidOf(call)), identity });
}

/** Answers with the UPID of the task. */
export const answerWithTask = (call: Call, work: GuestWork): ApiAnswer => answer(startGuestTask(call, work));
