// Makes and deletes port forwards, and has the node's agent apply them.
import type { PoolClient } from "pg";
import { permit } from "../../access/permit.js";
import type { Context } from "../../context/context.js";
import { Permission } from "../../core/access/permissions.js";
import { JobKind } from "../../core/enums.js";
import { nodeServiceOn } from "../../core/forwarding/nodePorts.js";
import { HIGHEST_PORT } from "../../core/forwarding/portPlan.js";
import { guestLock } from "../../core/guest/lock.js";
import type { Problem } from "../../core/problem.js";
import { inTransactionWithCommitCheck } from "../../db/transactionWithCommitCheck.js";
import { inTransaction } from "../../db/transaction.js";
import { DroverError, notFound, validationError } from "../../errors/errors.js";
import * as agentJobs from "../../store/agentJob.js";
import * as guests from "../../store/guest/known.js";
import type { ForwardableGuest } from "../../store/guest/known.js";
import * as locks from "../../store/lock.js";
import * as nodes from "../../store/node.js";
import * as forwards from "../../store/portForward.js";
import { guestBusy } from "../guest/findGuest.js";

/** A forward as an operator writes it. */
interface PortForwardInput {
  readonly guestId: number;
  readonly protocol: string;
  /** Left out: a free one is chosen. */
  readonly publicPort?: number | null;
  readonly guestPort: number;
}

/** Below lie the ports of well-known services; who wants one asks for it. */
const LOWEST_CHOSEN_PORT = 10_000;
/** Above lie ports that the node needs itself. */
const HIGHEST_CHOSEN_PORT = 59_999;

/**
 * @returns the forward's id; the node's agent applies it with its next heartbeat
 * @throws DroverError `notFound` (guest), `validation`, `conflict` (`SAFETY_COPY`, `NAT_NOT_CONFIGURED`,
 *   `GUEST_HAS_NO_ADDRESS`, `PORT_TAKEN`, `GUEST_BUSY` while it moves)
 */
export async function createPortForward(context: Context, input: PortForwardInput): Promise<number> {
  permit(context, Permission.HOSTS_MANAGE);
  return inTransactionWithCommitCheck(context.pool, async (client) => {
    const guest = await holdWithNode(context, client, input.guestId);
    const protocol = checkedProtocol(input);
    const address = forwardableAddress(guest);
    await refuseMoving(client, guest);
    const id = await insertForward(client, { ...input, protocol, nodeId: guest.nodeId, address });
    await agentJobs.orderForwards(client, guest.nodeId);
    return id;
  });
}

/**
 * Nodes are held before guests, as by syncs: until its node is, the guest may move to another.
 * @throws DroverError `notFound`
 */
async function holdWithNode({ viewer }: Context, client: PoolClient, guestId: number): Promise<ForwardableGuest> {
  for (;;) {
    const nodeId = await guests.nodeOf(client, guestId);
    if (nodeId !== null) await nodes.lock(client, [nodeId]);
    const guest = await guests.holdForwardable(client, guestId, viewer.hostIds);
    if (guest === null) throw notFound(`Guest ${guestId}`);
    if (guest.nodeId === nodeId) return guest;
  }
}

/** @throws DroverError `notFound` */
export async function deletePortForward(context: Context, id: number): Promise<void> {
  permit(context, Permission.HOSTS_MANAGE);
  await inTransaction(context.pool, async (client) => {
    const nodeId = await takeOff(context, client, id);
    await agentJobs.orderForwards(client, nodeId);
  });
}

/** @returns the node that it was on: until that is locked, a guest that moves may take it to another */
async function takeOff({ viewer }: Context, client: PoolClient, id: number): Promise<number> {
  for (;;) {
    const nodeId = await forwards.nodeOf(client, id, viewer.hostIds);
    if (nodeId === null) throw notFound(`Port forward ${id}`);
    await nodes.lock(client, [nodeId]);
    if ((await forwards.remove(client, [id], nodeId)) === 1) return nodeId;
  }
}

type Protocol = "tcp" | "udp";

/** @throws DroverError `validation` that names every offending field */
function checkedProtocol({ protocol, publicPort, guestPort }: PortForwardInput): Protocol {
  const service = nodeServiceOn(protocol, publicPort ?? LOWEST_CHOSEN_PORT);
  const problems = [
    ...(isProtocol(protocol) ? [] : [{ field: "protocol", message: "must be tcp or udp" }]),
    ...portProblems("publicPort", publicPort ?? LOWEST_CHOSEN_PORT),
    ...(service === null ? [] : [{ field: "publicPort", message: `is the node's own, for ${service}` }]),
    ...portProblems("guestPort", guestPort),
  ];
  if (problems.length > 0 || !isProtocol(protocol)) throw validationError(problems);
  return protocol;
}

const isProtocol = (text: string): text is Protocol => text === "tcp" || text === "udp";

const portProblems = (field: string, port: number): Problem[] =>
  port >= 1 && port <= HIGHEST_PORT ? [] : [{ field, message: `must be from 1 to ${HIGHEST_PORT}` }];

function forwardableAddress({ safetyCopy, natConfigured, address }: ForwardableGuest): string {
  if (safetyCopy) throw new DroverError("conflict", "The guest is a safety copy", { reason: "SAFETY_COPY" });
  if (!natConfigured) {
    throw new DroverError("conflict", "NAT is not configured on the guest's node", { reason: "NAT_NOT_CONFIGURED" });
  }
  if (address !== null) return address;
  throw new DroverError("conflict", "The guest has no IPv4 address that the service knows", {
    reason: "GUEST_HAS_NO_ADDRESS",
  });
}

/** A move takes along the forwards that it was planned with: one that is made meanwhile would stay behind. */
async function refuseMoving(client: PoolClient, { hostId, vmid }: ForwardableGuest): Promise<void> {
  if (await locks.isOfJob(client, guestLock(hostId, vmid), JobKind.MIGRATION)) throw guestBusy(vmid);
}

interface NewForward extends PortForwardInput {
  readonly protocol: Protocol;
  readonly nodeId: number;
  readonly address: string;
}

async function insertForward(client: PoolClient, forward: NewForward): Promise<number> {
  const { nodeId, guestId, protocol, publicPort, guestPort, address } = forward;
  const chosen = { nodeId, protocol, from: LOWEST_CHOSEN_PORT, to: HIGHEST_CHOSEN_PORT };
  const port = publicPort ?? (await forwards.freePort(client, chosen));
  if (port === null) {
    const range = `${LOWEST_CHOSEN_PORT} to ${HIGHEST_CHOSEN_PORT}`;
    throw new DroverError("conflict", `No ${protocol} port from ${range} is free on the node`, {
      reason: "PORT_TAKEN",
    });
  }
  const placed = { nodeId, guestId, protocol, publicPort: port, guestPort, guestAddress: address };
  const id = await forwards.insert(client, placed);
  if (id !== null) return id;
  throw new DroverError("conflict", `Port ${port} (${protocol}) is taken on the node`, { reason: "PORT_TAKEN" });
}
