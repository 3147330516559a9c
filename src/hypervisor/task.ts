// A task that a host works on, and how it ended.
import type { PlatformReason } from "./platformError.js";

/** Platform task id, `UPID:<node>:…:`. It names the node to ask. */
export type Upid = string;

/** The node that a task works on. */
export const nodeOf = (upid: Upid): string => upid.split(":")[1] ?? "";

/** Tasks that only ask high availability: it acts some ten seconds after their end. */
export const isRequestAlone = ({ type }: Pick<TaskStatus, "type">): boolean => type === "hastart" || type === "hastop";

export interface TaskStatus {
  readonly upid: Upid;
  readonly node: string;
  readonly type: string;
  readonly targetId: string | null;
  readonly user: string;
  readonly running: boolean;
  /** `OK`, `WARNINGS: n` or the error text; null while running. */
  readonly exitStatus: string | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

/** How a task ended that was followed; when, is a question of its own. */
export interface TaskOutcome extends Omit<TaskStatus, "endedAt"> {
  /** True for `OK` and `WARNINGS: n`. */
  readonly succeeded: boolean;
  /** What the error text in `exitStatus` means; null when the task succeeded. */
  readonly failure: PlatformReason | null;
}

export interface WaitOptions {
  /** Ends the waiting, not the task: rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Milliseconds (an hour unless said) after which waiting fails with `PLATFORM_UNCERTAIN`; the task itself goes on. */
  readonly timeoutMs?: number;
}
