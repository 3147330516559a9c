// Moves the guest's port forwards to the NAT of the target's node, and waits until both agents have applied it.
import type { Pool, PoolClient } from "pg";
import { waitForEvent } from "../../src/events/waitForEvent.js";
import { MigrationStep } from "../../src/core/enums.js";
import { planPortForwards, portKey } from "../../src/core/forwarding/portPlan.js";
import { DroverError } from "../../src/errors/errors.js";
import * as agentJobs from "../../src/store/agentJob.js";
import * as nodes from "../../src/store/node.js";
import * as forwards from "../../src/store/portForward.js";
import { awaitAgent } from "../engine/agentWait.js";
import type { Step } from "../engine/step.js";
import { inputOf, targetOf, whileHeld, type MigrationFacts, type MigrationContext } from "./context.js";

const PATIENCE_MS = 60_000;

export const portForwards: Step<MigrationFacts> = {
  name: MigrationStep.PORT_FORWARDS,
  weight: 1,
  onError: "warn",
  async run(context) {
    const { portForwards: moves, source } = inputOf(context);
    const target = targetOf(context);
    if (moves.length === 0) return {};
    await whileHeld(context, (client) => moveForwards(context, client));
    const reason = `the agents of ${source.node} and ${target.node} have not both applied the port forwards yet`;
    await awaitAgent(context, { reason, timeoutMs: PATIENCE_MS }, () =>
      Promise.all([awaitApplied(context, target), awaitApplied(context, source)]),
    );
    return {};
  },
};

/** The nodes' rows are held in one order everywhere, as by everybody who changes forwards. */
async function moveForwards(context: MigrationContext, client: PoolClient): Promise<void> {
  const { source, portForwards: moves } = inputOf(context);
  const target = targetOf(context);
  await nodes.lock(client, [source.nodeId, target.nodeId]);
  const dropped = moves.filter((move) => move.dropped).map(({ forwardId }) => forwardId);
  await forwards.remove(client, dropped, source.nodeId);
  await moveKept(context, client);
  for (const { nodeId } of [source, target]) await agentJobs.orderForwards(client, nodeId);
}

/** Those that are not there yet get their planned public port, or the next free one when that was taken meanwhile. */
async function moveKept(context: MigrationContext, client: PoolClient): Promise<void> {
  const { source, portForwards: moves, ipPlan, guestId } = inputOf(context);
  const target = targetOf(context);
  const planned = new Map(moves.map(({ forwardId, newPublicPort }) => [forwardId, newPublicPort]));
  const own = await forwards.ofGuest(client, { guestId, nodeId: source.nodeId });
  const there = await forwards.portsOfNode(client, target.nodeId);
  const taken = new Set(there.map(({ protocol, port }) => portKey(protocol, port)));
  const wanted = own.flatMap(({ id, protocol }) => {
    const publicPort = planned.get(id);
    return publicPort === undefined ? [] : [{ id, protocol, publicPort }];
  });
  for (const { forwardId, newPublicPort, dropped } of planPortForwards(wanted, taken, false)) {
    if (dropped) throw new DroverError("conflict", "no public port is free on the target");
    const address = { before: ipPlan.currentAddress, after: ipPlan.newAddress };
    await forwards.move(client, { id: forwardId, nodeId: target.nodeId, publicPort: newPublicPort, address });
  }
}

/** A later change of the node's forwards replaces the order: the newest one counts. */
async function awaitApplied(
  context: MigrationContext,
  { nodeId, node }: { readonly nodeId: number; readonly node: string },
): Promise<void> {
  const { services, signal } = context;
  const awaited = { topic: "agentResult", id: nodeId, timeoutMs: PATIENCE_MS, signal } as const;
  const order = await waitForEvent(services.events, awaited, () => lookAtOrder(services.pool, nodeId));
  if (order === null) throw problem(`the agent of ${node} has not applied the port forwards yet`);
  if (order.error !== null) throw problem(`the agent of ${node} could not apply the port forwards: ${order.error}`);
}

/** @returns how the newest order ended; null while it waits */
async function lookAtOrder(pool: Pool, nodeId: number): Promise<{ readonly error: string | null } | null> {
  const order = (await agentJobs.newestOrder(pool, nodeId)) ?? { status: "done", error: null };
  return order.status === "waiting" ? null : order;
}

const problem = (message: string): DroverError => new DroverError("unavailable", message);
