// What the steps of a migration share: its frozen plan, its findings, both hosts, and writes that only the holder of the job may make.
import type { PoolClient } from "pg";
import { migrationInput, type FrozenMigration } from "../../src/actions/migration/migrationInput.js";
import type { MigrationMode } from "../../src/core/enums.js";
import type { GuestAddress } from "../../src/hypervisor/guest.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import type { Upid } from "../../src/hypervisor/task.js";
import { taskEnd } from "../../src/hypervisor/taskEnd.js";
import { platformError, PlatformReason } from "../../src/hypervisor/platformError.js";
import { inFencedTransaction } from "../journal.js";
import { PASSING_FOR_REPEATABLE, PASSING_HALFWAY, patiently as repeatPatiently } from "../patience.js";
import type { JobFacts, World } from "../step.js";

export interface MigrationFacts extends JobFacts {
  /** As found right before the start; the plan's may be outdated. */
  readonly mode?: MigrationMode;
  /** Transfers of this guest that the source knew before ours began. */
  readonly tasksBefore?: readonly Upid[];
  /** When the transfer was last ordered by the machine's time, ISO 8601: for a while after it, the order may still be under way. */
  readonly orderedAt?: string;
  /** The target's task that received the guest: what is locked under its VMID there is ours. */
  readonly tunnel?: Upid;
  /** The node that receives the guest, when another one of the target's cluster answered the source than was planned. */
  readonly landed?: Landing;
  /** What the transfer left on the target, before its lock was taken off so that it can be removed. */
  readonly remains?: Remains;
  /** The source has lost the running guest together with its transfer: taken back, it is started again. */
  readonly wasHalted?: true;
  /** The guest is on the target: nothing there is taken back from here on. */
  readonly transferDone?: boolean;
}

/** An incomplete guest: it is recognized without its lock too. */
export interface Remains {
  readonly lock: string;
  /** Digest of its configuration. */
  readonly mark: string;
}

/** A node of the target host. */
export interface Landing {
  readonly node: string;
  readonly nodeId: number;
}

export type MigrationWorld = World<MigrationFacts>;

export const inputOf = (world: MigrationWorld): FrozenMigration => migrationInput.parse(world.job.input);

export const modeOf = (world: MigrationWorld): MigrationMode => world.facts.mode ?? inputOf(world).mode;

export function sourceGuest(world: MigrationWorld): GuestAddress {
  const { type, source } = inputOf(world);
  return { type, node: source.node, vmid: source.vmid };
}

/** Where the guest goes: the planned place, on the node that the transfer has led to. */
export const targetOf = (world: MigrationWorld): FrozenMigration["target"] => ({
  ...inputOf(world).target,
  ...world.facts.landed,
});

export function targetGuest(world: MigrationWorld): GuestAddress {
  const { node, vmid } = targetOf(world);
  return { type: inputOf(world).type, node, vmid };
}

export const sourceHost = (world: MigrationWorld): Promise<Hypervisor> =>
  world.hypervisor(inputOf(world).source.hostId);

export const targetHost = (world: MigrationWorld): Promise<Hypervisor> =>
  world.hypervisor(inputOf(world).target.hostId);

/** Runs work in a transaction that holds the job's row: a worker that lost its lease writes nothing. @throws Fenced */
export const whileHeld = <Result>(
  { services, job }: MigrationWorld,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> => inFencedTransaction(services.pool, job, work);

/** Repeats work that may be repeated while what hinders it may pass, up to `patienceMs`. @throws its last error */
export const patiently = <Result>(
  world: MigrationWorld,
  patienceMs: number,
  work: () => Promise<Result>,
): Promise<Result> => repeatPatiently(world, { patienceMs, passing: PASSING_FOR_REPEATABLE }, work);

/** The same once the transfer was ordered: a host that refuses, also to tell where the guest is, is asked again too. */
export const persistently = <Result>(
  world: MigrationWorld,
  patienceMs: number,
  work: () => Promise<Result>,
): Promise<Result> => repeatPatiently(world, { patienceMs, passing: PASSING_HALFWAY }, work);

/** Waits for a task that was started by a repeatable order; null: it was done at once. @throws DroverError platform */
export async function finish(world: MigrationWorld, hypervisor: Hypervisor, upid: Upid | null): Promise<void> {
  if (upid === null) return;
  const outcome = await taskEnd(hypervisor, upid, { signal: world.signal });
  if (outcome === null) return world.warn(`what became of ${upid} is not known: the platform has forgotten the task`);
  if (outcome.succeeded) return;
  const reason = outcome.failure ?? PlatformReason.REFUSED;
  throw platformError(reason, `${outcome.type} failed: ${outcome.exitStatus ?? "no result"}`);
}
