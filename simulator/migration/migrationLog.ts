// Writes a migration's task log: time-stamped lines, errors, raw program output, and progress in each release's way.
import type { SimulatedClock } from "../clock.js";
import type { Worker } from "../tasks/worker.js";
import { timestamp } from "./figures.js";

/** The log of one migration. */
export class MigrationLog {
  constructor(
    private readonly task: Worker,
    private readonly clock: SimulatedClock,
  ) {}

  info(text: string): void {
    this.#stamped(text, "");
  }

  error(text: string): void {
    this.#stamped(text, "ERROR: ");
  }

  /** A line that a program printed, without a time. */
  raw(line: string): void {
    this.task.log(line);
  }

  /** Appends to the last line, as a carriage return does in the log file of older releases. */
  append(text: string): void {
    const { lines } = this.task.task;
    const last = lines.pop() ?? "";
    lines.push(`${last}\r${text}`);
  }

  #stamped(text: string, prefix: string): void {
    const time = timestamp(this.clock.now());
    for (const line of text.split("\n")) if (line !== "") this.task.log(`${time} ${prefix}${line}`);
  }
}
