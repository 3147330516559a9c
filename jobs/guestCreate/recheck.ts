// Checks again, just before anything is made, that the node still has room and that the VMID is still free on the platform.
import type { PoolClient } from "pg";
import { loadSnapshot } from "../../src/placement/placementSnapshot.js";
import * as capacity from "../../src/store/capacity.js";
import * as creationPlaces from "../../src/store/creationPlace.js";
import { EVERY_NODE, type LoadedSnapshot, type PlacementContext } from "../../src/core/placement/context.js";
import { nodeSet } from "../../src/core/placement/nodeSet.js";
import { describeDropped, place, placeBest, type RankedNode } from "../../src/core/placement/place.js";
import { inTransaction } from "../../src/db/transaction.js";
import { DroverError } from "../../src/errors/errors.js";
import * as held from "../../src/store/held/take.js";
import { INSTALL } from "../guest/install.js";
import { wasBegun, type Step } from "../engine/step.js";
import { creationOf, reservedPlace } from "./reservedPlace.js";
import { inputOf, wantedPlace, type CreateFacts, type CreateContext } from "./context.js";
import { requireFreeVmid } from "./vmid.js";

export const recheck: Step<CreateFacts> = {
  name: "recheck",
  weight: 1,
  brief: true,
  async run(context) {
    if (wasBegun(context.facts, INSTALL)) return {};
    const { services, job } = context;
    const reserved = await reservedPlace(services.pool, job.hostId ?? -1, {
      jobId: job.id,
      node: job.node ?? "",
      request: wantedPlace(context),
      image: inputOf(context).image,
      clock: services.clock,
    });
    const { node, storage } = reserved ?? (await newPlace(context));
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

interface Look {
  readonly loaded: LoadedSnapshot;
  readonly asked: PlacementContext;
}

/** The host as if nothing had been reserved for the job, and under which conditions its guest is placed. */
async function look(client: PoolClient, context: CreateContext): Promise<Look> {
  const { job, services } = context;
  const hostId = job.hostId ?? -1;
  const loaded = await loadSnapshot(client, services.clock, { scope: [hostId], exceptJobId: job.id });
  const nodes = await creationPlaces.nodesFor(client, hostId, creationOf(job.id, inputOf(context).image));
  const asked: PlacementContext = {
    ...EVERY_NODE,
    settings: loaded.settings,
    assignedNodes: nodes.every(({ permitted }) => permitted)
      ? null
      : nodeSet(nodes.filter(({ permitted }) => permitted)),
    templateNodes: nodeSet(nodes.filter(({ hasImage }) => hasImage)),
  };
  return { loaded, asked };
}
