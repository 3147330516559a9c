// Moves the guest's port forwards to the NAT of the target's node, and waits until both agents have applied it.
import { setTimeout as delay } from "node:timers/promises";
import type { PoolClient } from "pg";
import { queuePortForwards } from "../../src/actions/applyPortForwards.js";
import { MigrationStep } from "../../src/core/enums.js";
import { planPortForwards, portKey } from "../../src/core/forwarding/portPlan.js";
import { DroverError } from "../../src/errors.js";
import type { Step } from "../step.js";
import { inputOf, whileHeld, type MigrationFacts, type MigrationWorld } from "./world.js";

const PATIENCE_MS = 60_000;
const LOOK_AGAIN_MS = 200;

export const portForwards: Step<MigrationFacts> = {
  name: MigrationStep.PORT_FORWARDS,
  weight: 1,
  onError: "warn",
  async run(world) {
    const { portForwards: moves, source, target } = inputOf(world);
    if (moves.length === 0) return {};
    await whileHeld(world, (client) => moveForwards(world, client));
    await Promise.all([awaitApplied(world, target), awaitApplied(world, source)]);
    return {};
  },
};

/** The nodes' rows are held in one order everywhere, as by everybody who changes forwards. */
async function moveForwards(world: MigrationWorld, client: PoolClient): Promise<void> {
  const { source, target, portForwards: moves } = inputOf(world);
  await client.query(`select 1 from node where id = any($1) order by id for no key update`, [
    [source.nodeId, target.nodeId],
  ]);
  const dropped = moves.filter((move) => move.dropped).map(({ forwardId }) => forwardId);
  await client.query(`delete from port_forward where id = any($1) and node_id = $2`, [dropped, source.nodeId]);
  await moveKept(world, client);
  for (const { nodeId } of [source, target]) await queuePortForwards(client, nodeId, world.services.clock.now());
}

/** Those that are not there yet get their planned public port, or the next free one when that was taken meanwhile. */
async function moveKept(world: MigrationWorld, client: PoolClient): Promise<void> {
  const { source, target, portForwards: moves, ipPlan, guestId } = inputOf(world);
  const planned = new Map(moves.map(({ forwardId, newPublicPort }) => [forwardId, newPublicPort]));
  const { rows } = await client.query<{ id: number; protocol: string }>(
    `select id, protocol from port_forward where guest_id = $1 and node_id = $2 order by id`,
    [guestId, source.nodeId],
  );
  const { rows: there } = await client.query<{ protocol: string; port: number }>(
    `select protocol, public_port as port from port_forward where node_id = $1`,
    [target.nodeId],
  );
  const taken = new Set(there.map(({ protocol, port }) => portKey(protocol, port)));
  const wanted = rows.flatMap(({ id, protocol }) => {
    const publicPort = planned.get(id);
    return publicPort === undefined ? [] : [{ id, protocol, publicPort }];
  });
  for (const { forwardId, newPublicPort, dropped } of planPortForwards(wanted, taken, false)) {
    if (dropped) throw new DroverError("conflict", "no public port is free on the target");
    await client.query(
      `update port_forward set node_id = $2, public_port = $3,
         guest_address = case when host(guest_address) = $4 then $5::inet else guest_address end where id = $1`,
      [forwardId, target.nodeId, newPublicPort, ipPlan.currentAddress, ipPlan.newAddress],
    );
  }
}

interface Applied {
  readonly status: "waiting" | "done" | "failed";
  readonly error: string | null;
}

/** A later change of the node's forwards replaces the order: the newest one tells. */
async function awaitApplied(
  world: MigrationWorld,
  { nodeId, node }: { readonly nodeId: number; readonly node: string },
): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const { rows } = await world.services.pool.query<Applied>(
      `select status, error from agent_job where node_id = $1 and kind = 'apply_port_forwards' order by created_at desc limit 1`,
      [nodeId],
    );
    const [order] = rows;
    if (order === undefined || order.status === "done") return;
    if (order.status === "failed")
      throw problem(`the agent of ${node} could not apply the port forwards: ${order.error}`);
    if (performance.now() > deadline) throw problem(`the agent of ${node} has not applied the port forwards yet`);
    await delay(LOOK_AGAIN_MS, undefined, { signal: world.signal });
  }
}

const problem = (message: string): DroverError => new DroverError("unavailable", message);
