// Checks again, just before anything is made, that the node still has room and that the VMID is still free on the platform.
import type { PoolClient } from "pg";
import { snapshotOf, snapshotSql, type SnapshotRow } from "../../src/actions/placement/placementSnapshot.js";
import { CAN_CLONE } from "../../src/actions/catalogue/templateNodes.js";
import * as capacity from "../../src/store/capacity.js";
import { UserRole } from "../../src/core/enums.js";
import { EVERY_NODE, type PlacementContext, type LoadedSnapshot } from "../../src/core/placement/context.js";
import { nodeSet, type NodeName } from "../../src/core/placement/nodeSet.js";
import { describeDropped, place, placeBest, type RankedNode } from "../../src/core/placement/place.js";
import { inTransaction } from "../../src/db/transaction.js";
import { DroverError } from "../../src/errors/errors.js";
import * as held from "../../src/store/held/take.js";
import { MAKE } from "../guest/make.js";
import { wasBegun, type Step } from "../engine/step.js";
import { promisedPlace } from "./promisedPlace.js";
import { inputOf, wantedPlace, type CreateFacts, type CreateContext } from "./context.js";
import { requireFreeVmid } from "./vmid.js";

export const recheck: Step<CreateFacts> = {
  name: "recheck",
  weight: 1,
  brief: true,
  async run(context) {
    if (wasBegun(context.facts, MAKE)) return {};
    const { services, job } = context;
    const promised = await promisedPlace(services.pool, job.hostId ?? -1, {
      jobId: job.id,
      node: job.node ?? "",
      request: wantedPlace(context),
      image: inputOf(context).image,
      clock: services.clock,
    });
    const { node, storage } = promised ?? (await newPlace(context));
    await requireFreeVmid(context);
    return { node, storage };
  },
};

/** Under the host's lock: another storage of the node is taken, or another node where placement may choose. */
async function newPlace(context: CreateContext): Promise<RankedNode> {
  const { job, services } = context;
  return inTransaction(services.pool, async (client) => {
    await capacity.lockHost(client, job.hostId ?? -1);
    const { loaded, asked } = await look(client, context);
    const request = wantedPlace(context);
    const same = place(loaded.snapshot, request, { ...asked, node: job.node });
    const chosen = same.best ?? (inputOf(context).auto ? placeBest(loaded.snapshot, request, asked) : null);
    if (chosen === null)
      throw new DroverError("conflict", describeDropped(same.dropped), { reason: "NO_NODE_HAS_ROOM" });
    if (chosen.node !== job.node) {
      context.log.info({ from: job.node, to: chosen.node }, "the node no longer qualified: the next best is taken");
    }
    await held.moveCreation(client, job, chosen);
    return chosen;
  });
}

/** $3 the template's id, $4 the file; one of them is null. */
const FACTS = snapshotSql(`
    'assignedNodes', (select array(select json_build_object('hostId', n.host_id, 'node', n.name)
        from reseller_node r join node n on n.id = r.node_id where r.user_id = u.id)
      from job j join user_account u on u.id = j.created_by_user where j.id = $2 and u.role = '${UserRole.RESELLER}'),
    'imageNodes', array(select json_build_object('hostId', n.host_id, 'node', n.name) from node n
      where n.host_id = any($1) and (
        exists (select 1 from node_file f where f.node_id = n.id and f.volid = $4 and f.content = 'vztmpl')
        or exists (select 1 from os_template t where t.id = $3 and t.active and t.host_id = n.host_id and ${CAN_CLONE}))),`);

interface PlaceFacts extends SnapshotRow {
  /** Whoever asked for the guest may be bound to some nodes; null: to none. */
  readonly assignedNodes: readonly NodeName[] | null;
  readonly imageNodes: readonly NodeName[];
}

interface Look {
  readonly loaded: LoadedSnapshot;
  readonly asked: PlacementContext;
}

/** The host as if the job had been promised nothing, and under which conditions its guest is placed; one statement. */
async function look(client: PoolClient, context: CreateContext): Promise<Look> {
  const { job, services } = context;
  const now = services.clock.now();
  const { image } = inputOf(context);
  const origin = image.kind === "file" ? [null, image.volid] : [image.templateId, null];
  const values = [[job.hostId ?? -1], job.id, ...origin];
  const { rows } = await client.query<{ json: string }>({ name: "creation-place", text: FACTS, values });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement above builds exactly this shape
  const facts = JSON.parse(rows[0]?.json ?? "null") as PlaceFacts;
  const { assignedNodes, imageNodes } = facts;
  const loaded = snapshotOf(facts, now);
  const asked: PlacementContext = {
    ...EVERY_NODE,
    settings: loaded.settings,
    assignedNodes: assignedNodes && nodeSet(assignedNodes),
    templateNodes: nodeSet(imageNodes),
  };
  return { loaded, asked };
}
