// Looks again, just before anything is made: does the place still fit, and is the VMID still free on the platform?
import type { PoolClient } from "pg";
import { assignedNodes } from "../../src/actions/placementContext.js";
import { CAN_CLONE } from "../../src/actions/templateNodes.js";
import { loadSnapshot } from "../../src/actions/placementSnapshot.js";
import { UserRole } from "../../src/core/enums.js";
import { inTransaction } from "../../src/db/transaction.js";
import { EVERY_NODE, type PlacementContext } from "../../src/core/placement/context.js";
import { nodeSet, type NodeName, type NodeSet } from "../../src/core/placement/nodeSet.js";
import { describeDropped, place, type RankedNode } from "../../src/core/placement/place.js";
import { DroverError } from "../../src/errors.js";
import { wasBegun } from "../platformTask.js";
import { MAKE } from "../guest/make.js";
import type { Step } from "../step.js";
import { inputOf, type CreateFacts, type CreateWorld } from "./world.js";

export const recheck: Step<CreateFacts> = {
  name: "recheck",
  weight: 1,
  async run(world) {
    if (wasBegun(world.facts, MAKE)) return {};
    const { node, storage } = await confirmPlace(world);
    await requireFreeVmid(world);
    return { node, storage };
  },
};

/** The same rules as at the start, with live reservations: another node is taken where placement may choose. */
async function confirmPlace(world: CreateWorld): Promise<RankedNode> {
  const { job, services } = world;
  const hostId = job.hostId ?? -1;
  return inTransaction(services.pool, async (client) => {
    await client.query(`select pg_advisory_xact_lock(hashtext('reservations'), $1)`, [hostId]);
    const { snapshot, settings } = await loadSnapshot(client, services.clock, { scope: [hostId], exceptJobId: job.id });
    const { cores, memoryMb, diskGb, type, auto } = inputOf(world);
    const asked: PlacementContext = {
      ...EVERY_NODE,
      settings,
      scope: [hostId],
      assignedNodes: await nodesOfReseller(client, job.id),
      templateNodes: await templateNodes(client, world),
    };
    const request = { type, cores, memoryMb, diskGb };
    const same = place(snapshot, request, { ...asked, node: job.node });
    const chosen = same.best ?? (auto ? place(snapshot, request, asked).best : null);
    if (chosen === null)
      throw new DroverError("conflict", describeDropped(same.dropped), { reason: "NO_NODE_HAS_ROOM" });
    if (chosen.node !== job.node) {
      world.log.info({ from: job.node, to: chosen.node }, "the node no longer qualified: the next best is taken");
    }
    await client.query(
      `with moved as (update job set node = $3 where id = $1 and lease_epoch = $2 and status = 'running' returning id)
       update capacity_reservation r set node_id = n.id, storage = $4
       from moved, node n where r.job_id = moved.id and n.host_id = $5 and n.name = $3`,
      [job.id, job.leaseEpoch, chosen.node, chosen.storage, hostId],
    );
    return chosen;
  });
}

/** Who asked for the guest may be bound to some nodes. */
async function nodesOfReseller(client: PoolClient, jobId: number): Promise<NodeSet | null> {
  const { rows } = await client.query<{ id: number }>(
    `select u.id from job j join user_account u on u.id = j.created_by_user where j.id = $1 and u.role = $2`,
    [jobId, UserRole.RESELLER],
  );
  const [reseller] = rows;
  return reseller === undefined ? null : assignedNodes(client, reseller.id);
}

async function templateNodes(client: PoolClient, world: CreateWorld): Promise<NodeSet> {
  const { image } = inputOf(world);
  const { rows } = await client.query<NodeName>(
    image.kind === "file" ? FILE_NODES : TEMPLATE_NODES,
    image.kind === "file" ? [image.volid, world.job.hostId] : [image.templateId],
  );
  return nodeSet(rows);
}

const TEMPLATE_NODES = `
  select n.host_id as "hostId", n.name as node from os_template t
  join node n on n.host_id = t.host_id and ${CAN_CLONE} where t.id = $1 and t.active`;

const FILE_NODES = `
  select n.host_id as "hostId", n.name as node from node_file f
  join node n on n.id = f.node_id where f.volid = $1 and f.content = 'vztmpl' and n.host_id = $2`;

/** Inventory may not know yet what somebody made beside the service. */
async function requireFreeVmid(world: CreateWorld): Promise<void> {
  const vmid = world.job.vmid ?? -1;
  const hypervisor = await world.hypervisor();
  if (await hypervisor.vmidIsFree(vmid)) return;
  throw new DroverError("conflict", `VMID ${vmid} already exists on the host`, {
    reason: "VMID_TAKEN",
  });
}
