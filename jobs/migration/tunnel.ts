// The target's end of a transfer: finds the task that received the guest, and waits until nothing works on its VMID any longer.
import { TaskWork, type Upid } from "../../src/hypervisor/task.js";
import * as nodes from "../../src/store/node.js";
import * as temporaryTokens from "../../src/store/temporaryToken.js";
import { awaitQuiet } from "../engine/quiet.js";
import {
  inputOf,
  sourceGuest,
  sourceHost,
  targetGuest,
  targetHost,
  type Landing,
  type MigrationContext,
} from "./context.js";

/** A tunnel whose source has gone in order ends by itself within moments. */
const ORDERLY_MS = 3_000;

/**
 * The task on the target that received the guest; null: there was none. The target alone tells: it goes by the move's temporary
 * token, whose random name nobody else has. The source may say on which node to look.
 */
export async function ownTunnel(context: MigrationContext): Promise<Upid | null> {
  if (context.facts.tunnel !== undefined) return context.facts.tunnel;
  const tokens = await temporaryTokens.usersOfJob(context.services.pool, context.job.id);
  for (const place of await placesOf(context)) {
    const own = await findTunnel(context, place.node, tokens);
    if (own === null) continue;
    await context.remember({ tunnel: own, ...(place.node !== inputOf(context).target.node && { landed: place }) });
    return own;
  }
  return null;
}

async function findTunnel(context: MigrationContext, node: string, tokens: ReadonlySet<string>): Promise<Upid | null> {
  const { vmid } = targetGuest(context);
  const tasks = await (await targetHost(context)).guestTasks(node, vmid);
  return tasks.find((task) => task.work === TaskWork.RECEIVE && tokens.has(task.user))?.upid ?? null;
}

/** Nodes of the target host: the planned one, and the one that has answered the source, should it be another. */
async function placesOf(context: MigrationContext): Promise<Landing[]> {
  const { target } = inputOf(context);
  const said = (await targetHost(context)).nodeOfTask(context.facts.saidTunnel ?? "");
  const planned = { node: target.node, nodeId: target.nodeId };
  if (said === null || said === target.node) return [planned];
  const nodeId = await nodes.idOf(context.services.pool, target.hostId, said);
  return nodeId === null ? [planned] : [planned, { node: said, nodeId }];
}

/** Stops a tunnel that waits for a source which no longer comes: the target would wait five minutes. */
export async function endAbandonedTunnel(context: MigrationContext, tunnel: Upid): Promise<void> {
  if (await awaitQuietTarget(context, ORDERLY_MS)) return;
  if (await awaitQuietSource(context, 0)) await (await targetHost(context)).stopTask(tunnel);
}

/** @returns whether nothing works on the guest's VMID on the target; false when tasks still run after `patienceMs` */
export const awaitQuietTarget = async (context: MigrationContext, patienceMs: number): Promise<boolean> =>
  awaitQuiet(context, { hypervisor: await targetHost(context), guest: targetGuest(context) }, patienceMs);

/** @returns whether nothing works on the guest on the source; false when tasks, its transfer say, still run after `patienceMs` */
export const awaitQuietSource = async (context: MigrationContext, patienceMs: number): Promise<boolean> =>
  awaitQuiet(context, { hypervisor: await sourceHost(context), guest: sourceGuest(context) }, patienceMs);
