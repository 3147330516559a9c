// A task that a host works on, and how it ended.
import type { PlatformReason } from "./platformError.js";

/** A task's id, as its platform writes it. */
export type Upid = string;

/** What a task does, as far as it makes a difference to the service. */
export const TaskWork = {
  /** It starts, restarts or resumes a guest. */
  START: "start",
  /** These two only ask high availability, which acts some ten seconds after their end. */
  REQUEST_START: "request_start",
  REQUEST_STOP: "request_stop",
  /** It makes a guest, or restores one, under the guest's own number. */
  CREATE: "create",
  DESTROY: "destroy",
  /** It moves a guest away. */
  SEND: "send",
  /** It receives a guest from another host. */
  RECEIVE: "receive",
  OTHER: "other",
} as const;
export type TaskWork = (typeof TaskWork)[keyof typeof TaskWork];

/** @returns whether what the task asks for is still to be done when it has ended. */
export const isRequestAlone = ({ work }: Pick<TaskStatus, "work">): boolean =>
  work === TaskWork.REQUEST_START || work === TaskWork.REQUEST_STOP;

export interface TaskStatus {
  readonly upid: Upid;
  readonly node: string;
  /** As the platform calls it. */
  readonly type: string;
  readonly work: TaskWork;
  readonly targetId: string | null;
  readonly user: string;
  readonly running: boolean;
  /** `OK`, `WARNINGS: n` or the error text; null while running. */
  readonly exitStatus: string | null;
  /** False while running. */
  readonly succeeded: boolean;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

/** How a task ended that was followed; when, is a question of its own. */
export interface TaskOutcome extends Omit<TaskStatus, "endedAt"> {
  /** What the error text in `exitStatus` means; null when the task succeeded. */
  readonly failure: PlatformReason | null;
  /** Where it was at work: `node pve2 of host rack2`. */
  readonly place: string;
}

/** @returns how a task failed that did not succeed, in the platform's words and with its place */
export const taskFailure = ({ type, place, exitStatus }: TaskOutcome): string =>
  `${type} on ${place} failed: ${exitStatus ?? "no result"}`;

export interface WaitOptions {
  /** Ends the waiting, not the task: rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Milliseconds (an hour unless said) after which waiting fails with `PLATFORM_UNCERTAIN`; the task itself goes on. */
  readonly timeoutMs?: number;
}
