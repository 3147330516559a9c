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

interface GuestFacts {
  readonly hostId: number;
  readonly vmid: number;
  readonly nodeId: number;
  readonly safetyCopy: boolean;
  readonly natConfigured: boolean;
  /** IPv4, from an IP zone or from the guest's own configuration. */
  readonly address: string | null;
}

const GUEST = `
  select g.host_id as "hostId", g.vmid, g.node_id as "nodeId", g.safety_copy as "safetyCopy", coalesce(a.nat_configured, false) as "natConfigured",
    coalesce((select host(z.address) from ip_address z where z.guest_id = g.id and family(z.address) = 4 order by z.address limit 1),
             (select host(own::inet) from unnest(g.ip_addresses) own where family(own::inet) = 4 limit 1)) as address
  from guest g left join agent a on a.node_id = g.node_id
  where g.id = $1 and g.gone_at is null and ($2::int[] is null or g.host_id = any($2)) for no key update of g`;

const NODE = `select node_id as "nodeId" from guest where id = $1`;

const FREE_PORT = `
  select coalesce($3, (
    select port from generate_series(${LOWEST_CHOSEN_PORT}, ${HIGHEST_CHOSEN_PORT}) port
    where not exists (select 1 from port_forward f where f.node_id = $1 and f.protocol = $2 and f.public_port = port)
    order by port limit 1)) as port`;

const FORWARD = `
  select f.node_id as "nodeId" from port_forward f join node n on n.id = f.node_id
  where f.id = $1 and ($2::int[] is null or n.host_id = any($2))`;

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
async function holdWithNode({ viewer }: Context, client: PoolClient, guestId: number): Promise<GuestFacts> {
  for (;;) {
    const { rows: known } = await client.query<{ nodeId: number }>(NODE, [guestId]);
    if (known[0] !== undefined) await nodes.lock(client, [known[0].nodeId]);
    const { rows } = await client.query<GuestFacts>(GUEST, [guestId, viewer.hostIds]);
    const [guest] = rows;
    if (guest === undefined) throw notFound(`Guest ${guestId}`);
    if (guest.nodeId === known[0]?.nodeId) return guest;
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
    const { rows } = await client.query<{ nodeId: number }>(FORWARD, [id, viewer.hostIds]);
    const [forward] = rows;
    if (forward === undefined) throw notFound(`Port forward ${id}`);
    await nodes.lock(client, [forward.nodeId]);
    if ((await forwards.remove(client, [id], forward.nodeId)) === 1) return forward.nodeId;
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

function forwardableAddress({ safetyCopy, natConfigured, address }: GuestFacts): string {
  if (safetyCopy) throw new DroverError("conflict", "The guest is a safety copy", { reason: "SAFETY_COPY" });
  if (!natConfigured) {
    throw new DroverError("conflict", "NAT is not configured on the guest's node", { reason: "NAT_NOT_CONFIGURED" });
  }
  if (address !== null) return address;
  throw new DroverError("conflict", "The guest has no IPv4 address that the service knows", {
    reason: "GUEST_HAS_NO_ADDRESS",
  });
}

const MOVING = `
  select 1 from resource_lock l join job j on j.id = l.job_id where l.key = $1 and j.kind = '${JobKind.MIGRATION}'`;

/** A move takes along the forwards that it was planned with: one that is made meanwhile would stay behind. */
async function refuseMoving(client: PoolClient, { hostId, vmid }: GuestFacts): Promise<void> {
  const { rowCount } = await client.query(MOVING, [guestLock(hostId, vmid)]);
  if (rowCount !== 0) throw guestBusy(vmid);
}

interface NewForward extends PortForwardInput {
  readonly protocol: Protocol;
  readonly nodeId: number;
  readonly address: string;
}

async function insertForward(client: PoolClient, forward: NewForward): Promise<number> {
  const { nodeId, guestId, protocol, publicPort, guestPort, address } = forward;
  const { rows: free } = await client.query<{ port: number | null }>(FREE_PORT, [nodeId, protocol, publicPort ?? null]);
  const port = free[0]?.port ?? null;
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
