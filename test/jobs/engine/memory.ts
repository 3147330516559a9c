// The engine without a database: jobs and their journal in memory, with the same fences, and services of which the engine needs little.
import { setImmediate as turn } from "node:timers/promises";
import { systemClock, type Clock } from "../../../src/concurrency/clock.js";
import { systemStopwatch, type Stopwatch } from "../../../src/concurrency/stopwatch.js";
import type { Services } from "../../../src/context/context.js";
import { JobKind, type JobStatus } from "../../../src/core/enums.js";
import { versionOf } from "../../../src/job/kinds.js";
import type { Hypervisor } from "../../../src/hypervisor/hypervisor.js";
import type { Lease } from "../../../src/store/job/lease.js";
import type { JournalEntry, Waiting } from "../../../src/store/job/journal.js";
import type { Claim, Claimant } from "../../../src/store/job/claim.js";
import type { UndoNote } from "../../../src/store/job/undo.js";
import type { JobStore } from "../../../src/store/jobStore.js";
import { JobContext } from "../../../jobs/engine/context.js";
import type { Executor } from "../../../jobs/engine/executor.js";
import type { ClaimedJob, JobDefinition, JobFacts } from "../../../jobs/engine/step.js";
import { silentLog } from "../../support/log.js";

type Step = JournalEntry["steps"][number] & { readonly undo?: Omit<UndoNote, "step"> };

/** A job as a row would have it. */
export interface MemoryJob {
  readonly id: number;
  readonly kind: JobKind;
  readonly version: number;
  status: JobStatus;
  leaseEpoch: number;
  /** Whether another worker may claim it. */
  isExpired: boolean;
  facts: JobFacts;
  readonly steps: Map<string, Step>;
  step: string | null;
  progress: number | null;
  error: string | null;
  isParked: boolean;
  readonly hostName: string | null;
  readonly node: string | null;
  readonly upids: string[];
  readonly waits: (string | null)[];
}

/** Jobs in memory; every write is noted by its name, also a refused one, and takes a turn of the event loop, as one of a database would. */
export class MemoryStore implements JobStore {
  readonly jobs = new Map<number, MemoryJob>();
  readonly writes: string[] = [];
  /** Called before each write; may throw, as a database does that is away. */
  before: (write: string) => void = () => undefined;

  add(given: Partial<MemoryJob> = {}): MemoryJob {
    const id = this.jobs.size + 1;
    const kind = JobKind.GUEST_DELETE;
    const job: MemoryJob = {
      id,
      kind,
      version: versionOf(kind),
      status: "queued",
      leaseEpoch: 0,
      isExpired: true,
      facts: {},
      steps: new Map(),
      step: null,
      progress: null,
      error: null,
      isParked: false,
      hostName: null,
      node: null,
      upids: [],
      waits: [],
      ...given,
    };
    this.jobs.set(id, job);
    return job;
  }

  claim = async (_: Claimant, id: number): Promise<Claim | null> => {
    const job = this.jobs.get(id);
    const isDue = job?.status === "queued" || (job?.status === "running" && job.isExpired);
    return job !== undefined && isDue ? this.#claimed(job) : null;
  };

  claimDue = async (claimant: Claimant, { most, except = [] }: { most: number; except?: readonly number[] }) => {
    const claims: Claim[] = [];
    for (const id of this.jobs.keys()) {
      const claim = claims.length < most && !except.includes(id) ? await this.claim(claimant, id) : null;
      if (claim !== null) claims.push(claim);
    }
    return claims;
  };

  renew = (lease: Lease): Promise<boolean> => this.#write("renew", lease, () => undefined);
  release = async (lease: Lease): Promise<void> =>
    void (await this.#write("release", lease, (job) => void (job.isExpired = true)));
  requeue = async (lease: Lease): Promise<void> =>
    void (await this.#write("requeue", lease, (job) => void (job.status = "queued")));
  bringForward = (lease: Lease): Promise<boolean> => this.#write("bringForward", lease, () => undefined);
  park = (lease: Lease, error: string): Promise<boolean> =>
    this.#write("park", lease, (job) => void Object.assign(job, { status: "failed", error, isParked: true }));

  write = (lease: Lease, { steps, facts, progress, step }: JournalEntry & { step: string | null }): Promise<boolean> =>
    this.#write("write", lease, (job) => {
      this.#note(job, steps, facts);
      job.step = step ?? job.step;
      job.progress = progress ?? job.progress;
    });

  writeUndo = (lease: Lease, { step: name, status, error }: UndoNote): Promise<boolean> =>
    this.#write(`undo ${name} ${status}`, lease, (job) => {
      const step = job.steps.get(name);
      if (step !== undefined) job.steps.set(name, { ...step, undo: { status, error } });
    });

  writeTask = (lease: Lease, effect: string, upid: string): Promise<boolean> =>
    this.#write("writeTask", lease, (job) => {
      job.facts = { ...job.facts, tasks: { ...job.facts.tasks, [effect]: upid } };
      job.upids.push(upid);
    });

  writeWaiting = (lease: Lease, waiting: Waiting | null): Promise<boolean> =>
    this.#write("writeWaiting", lease, (job) => void job.waits.push(waiting?.reason ?? null));

  end = (lease: Lease, { steps, facts, progress, error }: JournalEntry & { error: string | null }): Promise<boolean> =>
    this.#write("end", lease, (job) => {
      this.#note(job, steps, facts);
      Object.assign(job, {
        status: error === null ? "done" : "failed",
        error,
        progress: error === null ? 1 : progress,
      });
    });

  /** Another worker claims it. */
  takeOver({ id }: Pick<Lease, "id">): void {
    const job = this.jobs.get(id);
    if (job !== undefined) job.leaseEpoch++;
  }

  #claimed(job: MemoryJob): Claim {
    Object.assign(job, { status: "running", leaseEpoch: job.leaseEpoch + 1, isExpired: false });
    const steps = [...job.steps.values()].map(({ name, status, undo }) => ({
      name,
      status,
      undo: undo?.status ?? null,
      left: undo?.error ?? null,
    }));
    const none = { hostId: null, vmid: null, guestId: null, secretsEncrypted: null };
    const { id, kind, version, facts, leaseEpoch, hostName, node } = job;
    return {
      ...none,
      id,
      kind,
      version,
      facts,
      leaseEpoch,
      hostName,
      node,
      input: {},
      attempts: leaseEpoch,
      steps,
      waitedSeconds: 2,
      lockWaitSeconds: 300,
    };
  }

  #note(job: MemoryJob, steps: readonly Step[], facts: object): void {
    for (const step of steps) job.steps.set(step.name, step);
    job.facts = { ...job.facts, ...facts };
  }

  async #write(name: string, { id, leaseEpoch }: Lease, change: (job: MemoryJob) => void): Promise<boolean> {
    this.writes.push(name);
    await turn();
    this.before(name);
    const job = this.jobs.get(id);
    if (job?.status !== "running" || job.leaseEpoch !== leaseEpoch) return false;
    change(job);
    return true;
  }
}

/** What the engine uses of the services; a platform answers what is given. */
export function memoryServices(platform: Partial<Hypervisor> = {}): Services {
  const used = {
    config: { leaseSeconds: 30 },
    clock: systemClock(),
    log: silentLog,
    hypervisors: { patient: () => Promise.resolve(platform) },
    secrets: { open: (sealed: string) => `opened ${sealed}` },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the engine uses nothing else
  return used as unknown as Services;
}

/** An executor of jobs of one kind. */
export const memoryExecutor = (
  store: MemoryStore,
  definition: JobDefinition,
  more: Partial<Executor> = {},
): Executor => ({
  services: memoryServices(),
  store,
  definitionOf: () => definition,
  stopwatch: systemStopwatch,
  worker: "mine",
  stopping: new AbortController().signal,
  observe: () => undefined,
  ...more,
});

interface MemoryParts {
  readonly platform?: Partial<Hypervisor>;
  readonly facts?: JobFacts;
  readonly hostId?: number | null;
  readonly clock?: Clock;
  readonly stopwatch?: Stopwatch;
}

/** The context of a job that is claimed in memory. */
export async function memoryContext(
  store: MemoryStore,
  { platform = {}, facts = {}, hostId = 1, clock = systemClock(), stopwatch = systemStopwatch }: MemoryParts = {},
): Promise<JobContext> {
  const { id } = store.add({ facts });
  const claim = await store.claim({ worker: "mine", leaseSeconds: 30, readable: new Map() }, id);
  if (claim === null) throw new Error("a new job is not due");
  const job: ClaimedJob = { ...claim, hostId, facts };
  return new JobContext(
    { services: { ...memoryServices(platform), clock }, store, stopwatch },
    job,
    new AbortController().signal,
  );
}
