// What the steps of a migration share: its frozen plan, its findings, both hosts, and writes that only the holder of the job may make.
import type { PoolClient } from "pg";
import { migrationInput, type FrozenMigration } from "../../src/actions/migration/migrationInput.js";
import type { LeftVolume } from "../../src/actions/migration/targetVolumes.js";
import type { MigrationMode } from "../../src/core/enums.js";
import type { Disk } from "../../src/core/inventory/disk.js";
import type { GuestAddress } from "../../src/hypervisor/guest.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import type { Upid } from "../../src/hypervisor/task.js";
import { taskEnd } from "../../src/hypervisor/taskEnd.js";
import { platformError, PlatformReason } from "../../src/hypervisor/platformError.js";
import { inFencedTransaction } from "../journal.js";
import { PASSING_FOR_REPEATABLE, PASSING_HALFWAY, patiently as repeatPatiently } from "../patience.js";
import type { JobFacts, StepContext } from "../step.js";

export interface MigrationFacts extends JobFacts {
  /** As found right before the start; the plan's may be outdated. */
  readonly mode?: MigrationMode;
  /** The guest's drives before the transfer, as the source has them. */
  readonly disks?: readonly Disk[];
  /** No volume of the VMID was on the storages that the transfer writes to: what is there afterwards came with it. */
  readonly targetWasClear?: true;
  /** What a failed transfer left there in no guest's configuration. */
  readonly leftVolumes?: readonly LeftVolume[];
  /** Cloud-init drives that had arrived as plain media, and are made anew. */
  readonly remadeDrives?: readonly RemadeDrive[];
  /** Whether the temporary token gets the right to change the target's system, as the checks found. */
  readonly tokenModifies?: boolean;
  /** Transfers of this guest that the source knew before ours began. */
  readonly tasksBefore?: readonly Upid[];
  /** When the transfer was last ordered by the machine's time, ISO 8601: for a while after it, the order may still be under way. */
  readonly orderedAt?: string;
  /** The target's task that received the guest, as the source says: where to look for it, and no proof. */
  readonly saidTunnel?: Upid;
  /** The same as the target itself has it, made by the move's own token: what is locked under its VMID there is ours. */
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

/** A drive that lost its role on the way. */
export interface RemadeDrive {
  /** Its slot, such as `ide2`. */
  readonly key: string;
  /** The volume that it had arrived with. */
  readonly volume: string;
}

/** A node of the target host. */
export interface Landing {
  readonly node: string;
  readonly nodeId: number;
}

export type MigrationContext = StepContext<MigrationFacts>;

export const inputOf = (context: MigrationContext): FrozenMigration => migrationInput.parse(context.job.input);

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

/** Repeats work that may be repeated while what hinders it may pass, up to `patienceMs`. @throws its last error */
export const patiently = <Result>(
  context: MigrationContext,
  patienceMs: number,
  work: () => Promise<Result>,
): Promise<Result> => repeatPatiently(context, { patienceMs, passing: PASSING_FOR_REPEATABLE }, work);

/** The same once the transfer was ordered: a host that refuses, also to tell where the guest is, is asked again too. */
export const persistently = <Result>(
  context: MigrationContext,
  patienceMs: number,
  work: () => Promise<Result>,
): Promise<Result> => repeatPatiently(context, { patienceMs, passing: PASSING_HALFWAY }, work);

/** Waits for a task that was started by a repeatable order; null: it was done at once. @throws DroverError platform */
export async function finish(context: MigrationContext, hypervisor: Hypervisor, upid: Upid | null): Promise<void> {
  if (upid === null) return;
  const outcome = await taskEnd(hypervisor, upid, { signal: context.signal });
  if (outcome === null) return context.warn(`what became of ${upid} is not known: the platform has forgotten the task`);
  if (outcome.succeeded) return;
  const reason = outcome.failure ?? PlatformReason.REFUSED;
  throw platformError(reason, `${outcome.type} failed: ${outcome.exitStatus ?? "no result"}`);
}
