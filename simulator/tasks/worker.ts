// What a running task may do: write its log, spend simulated time, move bytes, and notice that it is being stopped.
import { failure } from "../api.js";
import type { SimulatedClock } from "../clock.js";
import type { Task } from "../state/task.js";

/** Thrown into a worker by SIGTERM; the text is what Proxmox VE's workers die with. */
export class TaskInterrupted extends Error {
  constructor() {
    super("received interrupt");
    this.name = "TaskInterrupted";
  }
}

/** Thrown into whatever still waits after SIGKILL: nothing may be cleaned up any more. */
export class TaskKilled extends Error {
  constructor() {
    super("killed");
    this.name = "TaskKilled";
  }
}

/** A failure ordered from the control address: fires when the task has done that share of its work. */
export interface PlannedFailure {
  atFraction: number;
  message: string;
}

/** Settings a worker looks up while it runs, since they can change meanwhile. */
export interface WorkerEnvironment {
  clock: SimulatedClock;
  bytesPerSecond: () => number;
}

/** The running side of a task. */
export class Worker {
  readonly #terminate = new AbortController();
  readonly #kill = new AbortController();
  #doneMs = 0;
  #warnings = 0;

  constructor(
    readonly task: Task,
    private readonly environment: WorkerEnvironment,
    private readonly work: { expectedMs: number; failure: PlannedFailure | null },
  ) {}

  get upid(): string {
    return this.task.upid;
  }

  get warnings(): number {
    return this.#warnings;
  }

  /** Aborted by a stop request (SIGTERM). */
  get signal(): AbortSignal {
    return this.#terminate.signal;
  }

  /** Aborted when the worker is gone for good (SIGKILL). */
  get killSignal(): AbortSignal {
    return this.#kill.signal;
  }

  /** True after SIGKILL: handlers must not clean up, since a dead process cannot. */
  get dead(): boolean {
    return this.#kill.signal.aborted;
  }

  /** Appends text to the log; several lines may be given at once. */
  log(text: string): void {
    if (this.dead) return;
    this.task.lines.push(...text.replace(/\n$/, "").split("\n"));
  }

  /** Logs a warning; the task then ends `WARNINGS: n`. */
  warn(text: string): void {
    this.#warnings += 1;
    this.log(`WARN: ${text}`);
  }

  /** Ends the task with this error. */
  fail(message: string): never {
    throw failure(message);
  }

  /**
   * Spends simulated time.
   * @throws TaskInterrupted when the task is stopped, or the planned failure
   */
  async sleep(simulatedMs: number): Promise<void> {
    await this.#spend(simulatedMs, this.signal);
  }

  /** Like {@link sleep}, for work that a stop request does not interrupt; only SIGKILL ends it. */
  async sleepThroughStop(simulatedMs: number): Promise<void> {
    await this.#spend(simulatedMs, this.killSignal);
  }

  /** Spends the time that copying takes, reporting the bytes done about once a simulated second. */
  async transfer(bytes: number, onProgress: (doneBytes: number) => void = () => {}): Promise<void> {
    let done = 0;
    while (done < bytes) {
      const rate = this.environment.bytesPerSecond();
      const step = Math.min(bytes - done, rate);
      await this.sleep((step / rate) * 1000);
      done += step;
      onProgress(done);
    }
  }

  /** Stops the worker (SIGTERM). */
  terminate(): void {
    this.#terminate.abort(new TaskInterrupted());
  }

  /** Ends the worker without a chance to clean up (SIGKILL). */
  kill(): void {
    this.#terminate.abort(new TaskKilled());
    this.#kill.abort(new TaskKilled());
  }

  /**
   * Says that the work is done and only what cannot be undone is left: a failure planned for the middle of the work, of
   * which there was less than expected, comes now.
   */
  endWork(): void {
    if (this.work.failure !== null && this.work.failure.atFraction < 1) this.fail(this.work.failure.message);
  }

  /** Throws the planned failure if the task reached its end without having met it. */
  finish(): void {
    if (this.work.failure !== null) this.fail(this.work.failure.message);
  }

  async #spend(simulatedMs: number, signal: AbortSignal): Promise<void> {
    const planned = this.work.failure;
    const limitMs = planned === null ? Number.POSITIVE_INFINITY : planned.atFraction * this.work.expectedMs;
    const leftMs = limitMs - this.#doneMs;
    await this.environment.clock.sleep(Math.max(0, Math.min(simulatedMs, leftMs)), signal);
    this.#doneMs += simulatedMs;
    if (planned !== null && simulatedMs >= leftMs) this.fail(planned.message);
  }
}
