// The world of one claimed job: what its steps see, and the fenced way in which they remember and tell progress.
import type { Services } from "../src/context.js";
import { DroverError } from "../src/errors.js";
import type { Hypervisor } from "../src/hypervisor/hypervisor.js";
import type { Upid } from "../src/hypervisor/task.js";
import type { Logger } from "../src/log.js";
import { storeFindings, storeProgress, storeTask } from "./journal.js";
import type { ClaimedJob, JobFacts, World } from "./step.js";

const PROGRESS_INTERVAL_MS = 250;

export class JobWorld implements World {
  readonly services: Services;
  readonly job: ClaimedJob;
  readonly signal: AbortSignal;
  readonly log: Logger;
  facts: JobFacts;
  #from = 0;
  #share = 1;
  #progressAt = 0;

  constructor(services: Services, job: ClaimedJob, signal: AbortSignal) {
    this.services = services;
    this.job = job;
    this.signal = signal;
    this.facts = job.facts;
    this.log = services.log.child({ jobId: job.id, kind: job.kind });
  }

  /** The step that runs now reaches from here over this share of the whole job. */
  enter(from: number, share: number): void {
    this.#from = from;
    this.#share = share;
  }

  /** Adds what a step returned; the journal stores it. */
  add(findings: Partial<JobFacts>): void {
    this.facts = { ...this.facts, ...findings };
  }

  hypervisor(): Promise<Hypervisor> {
    if (this.job.hostId === null) throw new DroverError("notFound", "the job's host is no longer connected");
    return this.services.hypervisors.patient(this.job.hostId, this.signal);
  }

  async remember(findings: Partial<JobFacts>): Promise<void> {
    await storeFindings(this.services.pool, this.job, findings);
    this.add(findings);
  }

  async rememberTask(effect: string, upid: Upid): Promise<void> {
    await storeTask(this.services.pool, this.job, { effect, upid });
    this.add({ tasks: { ...this.facts.tasks, [effect]: upid } });
  }

  async progress(fraction: number): Promise<void> {
    const now = performance.now();
    if (now - this.#progressAt < PROGRESS_INTERVAL_MS) return;
    this.#progressAt = now;
    const within = Math.min(1, Math.max(0, fraction));
    await storeProgress(this.services.pool, this.job, this.#from + this.#share * within);
  }

  secrets(): string | null {
    const sealed = this.job.secretsEncrypted;
    return sealed === null ? null : this.services.secrets.open(sealed, "job.secrets");
  }
}
