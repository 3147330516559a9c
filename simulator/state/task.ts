// Describes one task as the platform keeps it: what its UPID says, its log, and how it ended.
import type { UpidParts } from "../tasks/upid.js";

/** A running or ended worker of one node. */
export interface Task extends UpidParts {
  upid: string;
  lines: string[];
  /** Seconds since the epoch; null while it runs. */
  endtime: number | null;
  /** `OK`, `WARNINGS: n` or the error; null while it runs. */
  exitstatus: string | null;
}

/** `ok`, `warning`, `error` or `unknown`, as the task list's filter names them. */
export function taskOutcome(exitstatus: string | null): string {
  if (exitstatus === null || exitstatus === "unexpected status") return "unknown";
  if (exitstatus === "OK") return "ok";
  return /^WARNINGS: \d+$/.test(exitstatus) ? "warning" : "error";
}
