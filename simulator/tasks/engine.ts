// Starts, follows and stops the tasks of all nodes, and keeps those that ended.
import type { Identity } from "../api.js";
import type { SimulatedClock } from "../clock.js";
import type { Task } from "../state/task.js";
import { encodeUpid } from "./upid.js";
import type { PlannedFailure, WorkerEnvironment } from "./worker.js";
import { TaskKilled, Worker } from "./worker.js";

/** A task to start. */
interface TaskRequest {
  node: string;
  type: string;
  id: string;
  identity: Pick<Identity, "label">;
  /** Simulated milliseconds that the work is expected to take; what "at a fraction" refers to. */
  expectedMs?: number;
  run: (task: Worker) => Promise<void>;
}

/** An order to let coming tasks fail. */
interface FailureOrder extends PlannedFailure {
  type: string;
  vmid?: number;
  times: number;
}

const keptTasks = 2000;
/** How long a worker may take to stop before it is killed, as in life. */
const GRACE_MS = 5000;

/** All tasks of a platform. */
export class TaskEngine {
  /** Bytes a simulated transfer moves in a simulated second. */
  bytesPerSecond: number;
  readonly #running = new Map<string, { worker: Worker; ended: Promise<void> }>();
  readonly #tasks = new Map<string, Task>();
  readonly #ended: Task[] = [];
  readonly #orders: FailureOrder[] = [];
  readonly #environment: WorkerEnvironment;
  readonly #graceMs: number;
  #lastPid = 4200;

  constructor(
    private readonly clock: SimulatedClock,
    options: { readonly bytesPerSecond: number; readonly graceMs?: number | undefined },
  ) {
    this.bytesPerSecond = options.bytesPerSecond;
    this.#graceMs = options.graceMs ?? GRACE_MS;
    this.#environment = { clock, bytesPerSecond: () => this.bytesPerSecond };
  }

  /** Starts a worker and returns its UPID at once. */
  start(request: TaskRequest): string {
    const task = this.#register(request);
    const worker = new Worker(task, this.#environment, {
      expectedMs: request.expectedMs ?? 1000,
      failure: this.#takeOrder(request),
    });
    const ended = this.#drive(worker, request.run);
    this.#running.set(task.upid, { worker, ended });
    return task.upid;
  }

  /** Null when no such task was ever started here. */
  find(upid: string): Task | null {
    return this.#tasks.get(upid) ?? null;
  }

  /** Running tasks, newest first. */
  active(): Task[] {
    return [...this.#running.values()].map((entry) => entry.worker.task).toReversed();
  }

  /** Ended tasks, the one that ended last first. */
  archive(): Task[] {
    return this.#ended.toReversed();
  }

  /** Resolves when the task has ended; at once when it has already. */
  async settled(upid: string): Promise<void> {
    await this.#running.get(upid)?.ended;
  }

  /** Asks a worker to stop and, when its grace has passed, kills it; resolves when it is gone. */
  async stop(upid: string): Promise<void> {
    const entry = this.#running.get(upid);
    if (entry === undefined) return;
    entry.worker.terminate();
    const grace = new AbortController();
    const timedOut = this.clock.sleep(this.#graceMs, grace.signal).then(
      () => true,
      () => false,
    );
    if (await Promise.race([timedOut, entry.ended.then(() => false)])) this.#killWorker(entry.worker);
    grace.abort();
    await entry.ended;
  }

  /** Ends every worker of a node at once, as a power cut does. */
  killNode(node: string): void {
    for (const { worker } of this.#running.values()) if (worker.task.node === node) this.#killWorker(worker);
  }

  /** Lets the next matching tasks fail. */
  planFailure(order: FailureOrder): void {
    this.#orders.push(order);
  }

  #killWorker(worker: Worker): void {
    worker.kill();
    this.#end(worker.task, "unexpected status");
  }

  #register(request: TaskRequest): Task {
    this.#lastPid += 1 + Math.floor(Math.random() * 12);
    const parts = {
      node: request.node,
      pid: this.#lastPid,
      pstart: Math.floor(performance.now() / 10) + 100_000,
      starttime: this.clock.seconds(),
      type: request.type,
      id: request.id,
      user: request.identity.label,
    };
    const task: Task = { ...parts, upid: encodeUpid(parts), lines: [], endtime: null, exitstatus: null };
    this.#tasks.set(task.upid, task);
    return task;
  }

  #takeOrder(request: TaskRequest): PlannedFailure | null {
    const index = this.#orders.findIndex(
      (order) => order.type === request.type && (order.vmid === undefined || String(order.vmid) === request.id),
    );
    const order = this.#orders[index];
    if (order === undefined) return null;
    order.times -= 1;
    if (order.times <= 0) this.#orders.splice(index, 1);
    return order;
  }

  async #drive(worker: Worker, run: TaskRequest["run"]): Promise<void> {
    await Promise.resolve();
    try {
      await run(worker);
      worker.finish();
      this.#conclude(worker, worker.warnings > 0 ? `WARNINGS: ${worker.warnings}` : "OK");
    } catch (error) {
      if (error instanceof TaskKilled || worker.dead) return;
      this.#conclude(worker, oneLine(error), "ERROR: ");
    }
  }

  #conclude(worker: Worker, exitstatus: string, prefix = ""): void {
    worker.log(`TASK ${prefix}${exitstatus}`);
    this.#end(worker.task, exitstatus);
  }

  #end(task: Task, exitstatus: string): void {
    if (task.endtime !== null) return;
    task.endtime = this.clock.seconds();
    task.exitstatus = exitstatus;
    this.#running.delete(task.upid);
    this.#ended.push(task);
    while (this.#ended.length > keptTasks) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const oldest = this.#ended.shift();
    if (oldest !== undefined) this.#tasks.delete(oldest.upid);
  }
}

function oneLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\n$/, "").replaceAll("\n", " ");
}
