// The target's end of a transfer: finds the task that received the guest, and waits until nothing works on its VMID any longer.
import { GuestType } from "../../src/core/enums.js";
import type { Upid } from "../../src/hypervisor/task.js";
import { awaitQuiet } from "../quiet.js";
import { sourceGuest, sourceHost, targetGuest, targetHost, type MigrationContext } from "./context.js";

/** A tunnel whose source has gone in order ends by itself within moments. */
const ORDERLY_MS = 3_000;

const TASK_TYPE = { [GuestType.QEMU]: "qmtunnel", [GuestType.LXC]: "vzmtunnel" } as const satisfies Record<
  GuestType,
  string
>;

/**
 * The task on the target that received the guest; null: there was none. A source that dies early does not say which it is,
 * but it goes by the move's temporary token, whose random name nobody else has.
 */
export async function ownTunnel(context: MigrationContext): Promise<Upid | null> {
  if (context.facts.tunnel !== undefined) return context.facts.tunnel;
  const hypervisor = await targetHost(context);
  const { type, node, vmid } = targetGuest(context);
  const [tokens, tasks] = await Promise.all([tokensOf(context), hypervisor.guestTasks(node, vmid)]);
  const own = tasks.find((task) => task.type === TASK_TYPE[type] && tokens.has(task.user));
  if (own === undefined) return null;
  await context.remember({ tunnel: own.upid });
  return own.upid;
}

const TOKENS = `select user_name || '!' || token_name as name from temporary_token where job_id = $1`;

async function tokensOf({ services, job }: MigrationContext): Promise<ReadonlySet<string>> {
  const { rows } = await services.pool.query<{ name: string }>(TOKENS, [job.id]);
  return new Set(rows.map(({ name }) => name));
}

/** Stops a tunnel that waits for a source which no longer comes: the target would wait five minutes. */
export async function endAbandonedTunnel(context: MigrationContext, tunnel: Upid): Promise<void> {
  if (await awaitQuietTarget(context, ORDERLY_MS)) return;
  if (await awaitQuietSource(context, 0)) await (await targetHost(context)).stopTask(tunnel);
}

/** @returns whether nothing works on the guest's VMID on the target; false when tasks still run after `patienceMs` */
export const awaitQuietTarget = async (context: MigrationContext, patienceMs: number): Promise<boolean> =>
  awaitQuiet(
    { hypervisor: await targetHost(context), guest: targetGuest(context) },
    { patienceMs, signal: context.signal },
  );

/** @returns whether nothing works on the guest on the source; false when tasks, its transfer say, still run after `patienceMs` */
export const awaitQuietSource = async (context: MigrationContext, patienceMs: number): Promise<boolean> =>
  awaitQuiet(
    { hypervisor: await sourceHost(context), guest: sourceGuest(context) },
    { patienceMs, signal: context.signal },
  );
