// What a kind of job consists of: ordered steps that can be repeated, and how to undo them.
import type { Services } from "../src/context.js";
import type { JobKind } from "../src/core/enums.js";
import { DroverError } from "../src/errors.js";
import type { Hypervisor, WaitObserver } from "../src/hypervisor/hypervisor.js";
import type { Upid } from "../src/hypervisor/task.js";
import type { Logger } from "../src/log.js";

/** A claimed job as the database has it. */
export interface ClaimedJob {
  readonly id: number;
  readonly kind: JobKind;
  readonly hostId: number | null;
  readonly node: string | null;
  readonly vmid: number | null;
  readonly guestId: number | null;
  /** What was asked for; frozen when the job was made. */
  readonly input: unknown;
  readonly facts: JobFacts;
  readonly secretsEncrypted: string | null;
  /** Counts claims: whoever holds an older number is fenced off. */
  readonly leaseEpoch: number;
  readonly attempts: number;
  /** Names of the steps that are done, with warnings or without. */
  readonly stepsDone: readonly string[];
}

/** What every job remembers beside its own findings. */
export interface JobFacts {
  /** Effects on the platform that were about to be made: recorded before, so that a successor looks before it repeats. */
  readonly begun?: readonly string[];
  /** Platform tasks by effect, recorded as soon as the platform named them. */
  readonly tasks?: Readonly<Record<string, Upid>>;
  /** Why the job fails; once it is set, only taking back remains. */
  readonly failure?: string;
  /** What is being done to take it back, in words for people. */
  readonly undoing?: string;
}

/** What a step works with. */
export interface World<Facts extends JobFacts = JobFacts> {
  readonly services: Services;
  readonly job: ClaimedJob;
  readonly log: Logger;
  /** Everything remembered so far. */
  readonly facts: Facts;
  /** Aborts when the lease is lost or the worker stops; waiting must end with it. */
  readonly signal: AbortSignal;
  /** Tells what the job waits for, and that it goes on. */
  readonly waiting: WaitObserver;
  /** The job's host, or another; questions that stay without an answer are asked again for a while. */
  hypervisor(hostId?: number): Promise<Hypervisor>;
  /** Stores findings at once, in the middle of a step. @throws Fenced */
  remember(findings: Partial<Facts>): Promise<void>;
  /** Records that an effect on the platform is about to be made. @returns whether an earlier attempt did so already @throws Fenced */
  beginEffect(name: string): Promise<boolean>;
  /** Adds a platform task to the job's visible list and to its facts. @throws Fenced */
  rememberTask(effect: string, upid: Upid): Promise<void>;
  /** Tells how far this step is, 0..1; written at most a few times a second. @throws Fenced */
  progress(fraction: number): Promise<void>;
  /** Has the step end with a warning although it did its work: the job goes on, and says so in the end. */
  warn(warning: string): void;
  /** The job's secrets (passwords, keys), opened for this moment; null when it has none. */
  secrets(): string | null;
}

/** One repeatable step: it looks at what is there, or sets a planned value, so that running it twice is harmless. */
export interface Step<Facts extends JobFacts> {
  readonly name: string;
  /** Share of the job's progress, in any unit. */
  readonly weight: number;
  /** `warn`: when it fails the job goes on, and says so in the end. */
  readonly onError?: "warn";
  /** Usually waits for nothing: its beginning is put on record only with something else. */
  readonly brief?: true;
  /** The effect on the platform that it makes: put on record with its beginning, in one entry. */
  readonly effect?: string;
  /** @returns what later steps need to know */
  run(world: World<Facts>): Promise<Partial<Facts>>;
}

/** One kind of job. */
export interface JobDefinition<Facts extends JobFacts = JobFacts> {
  readonly kind: JobKind;
  readonly steps: readonly Step<Facts>[];
  /**
   * Takes back what the steps did; repeatable. Runs after a failure, also one found after a restart.
   * @returns what could not be taken back, in words for people; null when nothing is left behind
   */
  undo(world: World<Facts>): Promise<string | null>;
}

/** Whether any attempt of the job began this effect: only then can there be something to take back. */
export const wasBegun = (facts: JobFacts, effect: string): boolean => facts.begun?.includes(effect) ?? false;

/** Erases the type of a definition's facts for the registry: facts are only ever written by the definition's own steps. */
export const define = <Facts extends JobFacts>(definition: JobDefinition<Facts>): JobDefinition => definition;

/** The lease went to another worker, or the job has ended: nothing more may be written. */
export class Fenced extends Error {
  override readonly name = "Fenced";
}

/** What a job's `error` says about a thrown value: only expected refusals speak for themselves. */
export const failureText = (error: unknown): string =>
  error instanceof DroverError ? error.message : "internal error; the service's log has the details";
