// What the steps of a migration share: its frozen plan, its findings, both hosts, and writes that only the holder of the job may make.
import type { PoolClient } from "pg";
import { migrationInput, type FrozenMigration } from "../../src/job/migrationInput.js";
import type { HeldJob } from "./removeTokens.js";
import type { Landing, MigrationFacts, Remains, RemadeDrive } from "../../src/job/migration.js";
import type { MigrationMode } from "../../src/core/enums.js";
import type { GuestAddress } from "../../src/hypervisor/guest.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import { taskFailure, type Upid } from "../../src/hypervisor/task.js";
import { taskEnd } from "../../src/hypervisor/taskEnd.js";
import { platformError, PlatformReason } from "../../src/hypervisor/platformError.js";
import { inFencedTransaction } from "../engine/journal.js";
import { PASSING_FOR_REPEATABLE, PASSING_HALFWAY, retryTransient as retryInContext } from "../engine/retry.js";
import type { StepContext } from "../engine/step.js";

export type { Landing, MigrationFacts, Remains, RemadeDrive };

export type MigrationContext = StepContext<MigrationFacts>;

/** With the VMID that took the place of a refused one: a worker has the input as it was when it claimed the job. */
export function inputOf({ job, facts }: MigrationContext): FrozenMigration {
  const input = migrationInput.parse(job.input);
  return { ...input, target: { ...input.target, vmid: facts.targetVmid ?? input.target.vmid } };
}

export const modeOf = (context: MigrationContext): MigrationMode => context.facts.mode ?? inputOf(context).mode;

export function sourceGuest(context: MigrationContext): GuestAddress {
  const { type, source } = inputOf(context);
  return { type, node: source.node, vmid: source.vmid };
}

/** Where the guest goes: the planned place, on the node that the transfer has led to. */
export const targetOf = (context: MigrationContext): FrozenMigration["target"] => ({
  ...inputOf(context).target,
  ...context.facts.landed,
});

export function targetGuest(context: MigrationContext): GuestAddress {
  const { node, vmid } = targetOf(context);
  return { type: inputOf(context).type, node, vmid };
}

export const sourceHost = (context: MigrationContext): Promise<Hypervisor> =>
  context.hypervisor(inputOf(context).source.hostId);

export const targetHost = (context: MigrationContext): Promise<Hypervisor> =>
  context.hypervisor(inputOf(context).target.hostId);

/** Runs work in a transaction that holds the job's row: a worker that lost its lease writes nothing. @throws Fenced */
export const whileHeld = <Result>(
  { services, job }: MigrationContext,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> => inFencedTransaction(services.pool, job, work);

/** The job as this worker holds it, for the removal of its tokens. */
export const heldJob = (context: MigrationContext): HeldJob => ({
  id: context.job.id,
  whileHeld: (work) => whileHeld(context, work),
});

/** Repeats work that may be repeated while what hinders it may pass, up to `patienceMs`. @throws its last error */
export const retryTransient = <Result>(
  context: MigrationContext,
  patienceMs: number,
  work: () => Promise<Result>,
): Promise<Result> => retryInContext(context, { patienceMs, passing: PASSING_FOR_REPEATABLE }, work);

/** The same once the transfer was ordered: a host that refuses, also to tell where the guest is, is asked again too. */
export const retryEvenRefused = <Result>(
  context: MigrationContext,
  patienceMs: number,
  work: () => Promise<Result>,
): Promise<Result> => retryInContext(context, { patienceMs, passing: PASSING_HALFWAY }, work);

/** Waits for a task that was started by a repeatable order; null: it was done at once. @throws DroverError platform */
export async function finish(context: MigrationContext, hypervisor: Hypervisor, upid: Upid | null): Promise<void> {
  if (upid === null) return;
  const outcome = await taskEnd(hypervisor, upid, { signal: context.signal });
  if (outcome === null) return context.warn(`what became of ${upid} is not known: the platform has forgotten the task`);
  if (outcome.succeeded) return;
  throw platformError(outcome.failure ?? PlatformReason.REFUSED, taskFailure(outcome), { place: outcome.place });
}
