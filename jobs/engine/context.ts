// The context that the steps of one claimed job run in: what they see, and how they record findings and progress under the lease.
import { openedSecrets } from "../../src/job/jobSecrets.js";
import type { Stopwatch } from "../../src/concurrency/stopwatch.js";
import type { Services } from "../../src/context/context.js";
import { DroverError } from "../../src/errors/errors.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import type { Upid } from "../../src/hypervisor/task.js";
import type { Logger } from "../../src/observability/log.js";
import type { JobStore } from "../../src/store/jobStore.js";
import { Journal, type Entry, type StepNote } from "./journal.js";
import { Waits } from "./waits.js";
import { wasBegun, type ClaimedJob, type JobFacts, type Step, type StepContext } from "./step.js";

const PROGRESS_INTERVAL_MS = 250;

/** Where a step stands in its job. */
interface StepPlace {
  readonly position: number;
  /** How far the whole job is when it begins, and how much of it the step is, 0..1. */
  readonly from: number;
  readonly share: number;
}

interface ContextParts {
  readonly services: Services;
  readonly store: JobStore;
  readonly stopwatch: Stopwatch;
}

export class JobContext implements StepContext {
  readonly services: Services;
  readonly job: ClaimedJob;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly stopwatch: Stopwatch;
  readonly lockWaitMs: number;
  readonly journal: Journal;
  readonly waiting: Waits;
  facts: JobFacts;
  /** The step's effect while it is on record and was not tried yet. */
  #announced: string | undefined;
  /** The beginning of a brief step, for as long as it is not on record. */
  #beginning: Entry = {};
  /** Everything that the step did its work in spite of. */
  #warning: string | undefined;
  #from = 0;
  #share = 1;
  #progressAt = 0;

  constructor({ services, store, stopwatch }: ContextParts, job: ClaimedJob, signal: AbortSignal) {
    this.services = services;
    this.stopwatch = stopwatch;
    this.lockWaitMs = job.lockWaitSeconds * 1000;
    this.job = job;
    this.signal = signal;
    this.facts = job.facts;
    this.journal = new Journal(store, job);
    this.log = services.log.child({ jobId: job.id, kind: job.kind });
    this.waiting = new Waits((waiting) => this.journal.writeWaiting(waiting), this);
  }

  /**
   * A step begins, which reaches `from` there over this share of the whole job. It is put on record, with the effect that it is
   * about to make; a brief one when it has to remember something, or has ended. @throws Fenced
   */
  async enter({ name, brief, effect }: Step<JobFacts>, { position, from, share }: StepPlace): Promise<void> {
    this.#warning = undefined;
    this.#from = from;
    this.#share = share;
    const isNew = effect !== undefined && !wasBegun(this.facts, effect);
    this.#announced = isNew ? effect : undefined;
    this.#beginning = { steps: [{ name, position, status: "running" }], step: name, progress: from };
    if (brief !== true) await this.remember(isNew ? withBegun(this.facts, effect) : {});
  }

  /** No step is at work any longer: unrecorded announcements of the step are discarded. */
  leave(): void {
    this.#announced = undefined;
    this.#beginning = {};
    this.waiting.goesOn();
  }

  /** Adds what a step returned; the journal stores it. */
  add(findings: Partial<JobFacts>): void {
    this.facts = { ...this.facts, ...findings };
  }

  warn(warning: string): void {
    const before = this.#warning === undefined ? [] : [this.#warning];
    this.#warning = [...before, warning].join("; ");
  }

  /** How a step that returned has ended. */
  get ending(): Pick<StepNote, "status" | "error"> {
    return this.#warning === undefined ? { status: "done" } : { status: "warned", error: this.#warning };
  }

  hypervisor(hostId = this.job.hostId): Promise<Hypervisor> {
    if (hostId === null) throw new DroverError("notFound", "the job's host is no longer connected");
    return this.services.hypervisors.patient(hostId, this.signal, this.waiting.forHost(hostId));
  }

  async remember(findings: Partial<JobFacts>): Promise<void> {
    await this.#write({ findings });
    this.add(findings);
  }

  async beginEffect(name: string): Promise<boolean> {
    if (this.#announced === name) {
      this.#announced = undefined;
      return false;
    }
    if (wasBegun(this.facts, name)) return true;
    await this.remember(withBegun(this.facts, name));
    return false;
  }

  async rememberTask(effect: string, upid: Upid): Promise<void> {
    await this.journal.writeTask(effect, upid);
    this.add({ tasks: { ...this.facts.tasks, [effect]: upid } });
  }

  async progress(fraction: number): Promise<void> {
    const now = this.stopwatch.milliseconds();
    if (now - this.#progressAt < PROGRESS_INTERVAL_MS) return;
    this.#progressAt = now;
    const within = Math.min(1, Math.max(0, fraction));
    await this.#write({ progress: this.#from + this.#share * within });
  }

  async #write(entry: Entry): Promise<void> {
    await this.journal.write({ ...this.#beginning, ...entry });
    this.#beginning = {};
  }

  secrets(): string | null {
    return openedSecrets(this.services.secrets, this.job);
  }
}

const withBegun = ({ begun = [] }: JobFacts, effect: string): Partial<JobFacts> => ({ begun: [...begun, effect] });
