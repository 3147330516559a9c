// What a kind of job consists of: ordered steps that can be repeated, and how to undo them.
import type { JobFacts } from "../../src/job/jobFacts.js";
import type { Stopwatch } from "../../src/concurrency/stopwatch.js";
import type { Services } from "../../src/context/context.js";
import type { JobKind } from "../../src/core/enums.js";
import { DroverError } from "../../src/errors/errors.js";
import type { Hypervisor, WaitObserver } from "../../src/hypervisor/hypervisor.js";
import { placeOf } from "../../src/hypervisor/platformError.js";
import type { Upid } from "../../src/hypervisor/task.js";
import type { Logger } from "../../src/observability/log.js";
import type { Claim } from "../../src/store/job/claim.js";

export type { JobFacts };

/** A claimed job; its input is in the current shape of its kind, and each kind of job parses its own. */
export interface ClaimedJob extends Omit<Claim, "facts" | "version" | "waitedSeconds"> {
  readonly facts: JobFacts;
}

/** The context of a step: what it sees, and how it records what it does. */
export interface StepContext<Facts extends JobFacts = JobFacts> {
  readonly services: Services;
  readonly job: ClaimedJob;
  readonly log: Logger;
  /** Everything remembered so far. */
  readonly facts: Facts;
  /** Aborts when the lease is lost or the worker stops; every wait must end with it. */
  readonly signal: AbortSignal;
  /** What its pauses and limits go by. */
  readonly stopwatch: Stopwatch;
  /** For so long a lock of the platform is waited for, from its first refusal on. */
  readonly lockWaitMs: number;
  /** Reports what the job waits for, and that it goes on. */
  readonly waiting: WaitObserver;
  /** The job's host, or another; questions without an answer are repeated for a while. */
  hypervisor(hostId?: number): Promise<Hypervisor>;
  /** Stores findings at once, during a step. @throws Fenced */
  remember(findings: Partial<Facts>): Promise<void>;
  /** Records that an effect on the platform is about to be made. @returns whether an earlier attempt did so already @throws Fenced */
  beginEffect(name: string): Promise<boolean>;
  /** Stores the id of a platform task, in the facts and in the list that clients see. @throws Fenced */
  rememberTask(effect: string, upid: Upid): Promise<void>;
  /** Reports the progress of this step, 0..1; written at most a few times a second. @throws Fenced */
  progress(fraction: number): Promise<void>;
  /** Makes the step end with a warning although it did its work: the job continues, and reports the warning. */
  warn(warning: string): void;
  /** The job's secrets (passwords, keys), decrypted for immediate use; null when it has none. */
  secrets(): string | null;
}

/** One repeatable step: it looks at what is there, or sets a value known in advance, so that running it twice does no harm. */
export interface Step<Facts extends JobFacts> {
  readonly name: string;
  /** Share of the job's progress, relative to the other steps. */
  readonly weight: number;
  /** `warn`: when the step fails, the job continues and reports a warning. */
  readonly onError?: "warn";
  /** Usually takes no time: its start is recorded only together with its first finding or its end. */
  readonly brief?: true;
  /** Name of the effect on the platform that it makes: recorded with the start of the step, in one entry. */
  readonly effect?: string;
  /** @returns what later steps need to know */
  run(context: StepContext<Facts>): Promise<Partial<Facts>>;
  /**
   * Undoes what the step did; repeatable. Runs when the job fails in this step or a later one, after the `undo` of the later ones,
   * also after a restart of the worker
   */
  undo?(context: StepContext<Facts>): Promise<UndoResult>;
}

/** What the step did stays, and is no remains to look after: it is past undoing, or the service removes it later. */
export const KEPT = Symbol("kept");

/** What an undo has left behind, in words for people; null: nothing. */
export type UndoResult = string | null | typeof KEPT;

/** One kind of job. */
export interface JobDefinition<Facts extends JobFacts = JobFacts> {
  readonly kind: JobKind;
  readonly steps: readonly Step<Facts>[];
}

/** Whether any attempt of the job began this effect: otherwise there is nothing to undo. */
export const wasBegun = (facts: JobFacts, effect: string): boolean => facts.begun?.includes(effect) ?? false;

/** Hides the type of a definition's facts from the registry: only the definition's own steps write them. */
export const define = <Facts extends JobFacts>(definition: JobDefinition<Facts>): JobDefinition => definition;

/** The lease went to another worker, or the job has ended: nothing more may be written. */
export class Fenced extends Error {
  override readonly name = "Fenced";
}

/** Work is drained: the job stops where it is, and goes on from there when the drain ends. */
export class Drained extends Error {
  override readonly name = "Drained";
}

/** The text of a thrown value: only expected refusals show their message. */
export const failureText = (error: unknown): string =>
  error instanceof DroverError ? error.message : "internal error; the service's log has the details";

/** The text of a job's `error` for a thrown value: it says where the job was at work. */
export function placedFailureText(error: unknown, { hostName, node }: Pick<Claim, "hostName" | "node">): string {
  const isPlaced = error instanceof DroverError && error.place !== undefined;
  return isPlaced || hostName === null ? failureText(error) : `${placeOf(hostName, node)}: ${failureText(error)}`;
}
