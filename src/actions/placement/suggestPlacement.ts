// Previews where a guest would be placed; nothing is created or reserved.
import { permit, permitHost } from "../../access/permit.js";
import type { Context } from "../../context/context.js";
import { Permission } from "../../core/access/permissions.js";
import { place, type Placement } from "../../core/placement/place.js";
import type { PlacementRequest } from "../../core/placement/snapshot.js";
import type { Problem } from "../../core/problem.js";
import { validationError } from "../../errors/errors.js";
import { requireAll } from "../../reads/engine/requirement.js";
import { hostExists } from "../../reads/models/requirements.js";
import { leastProblems } from "../inputProblems.js";
import { placementContext } from "../../placement/placementContext.js";

interface PlacementQuestion extends PlacementRequest {
  /** Only nodes of this host; null: of every host in the viewer's scope. */
  readonly hostId?: number | null;
}

/** @throws DroverError `forbidden`, `notFound` (host), `validation` that names every offending field */
export async function suggestPlacement(context: Context, question: PlacementQuestion): Promise<Placement> {
  permit(context, Permission.HOSTS_READ);
  const { hostId = null, ...request } = question;
  if (hostId !== null) {
    permitHost(context, hostId);
    await requireAll(context, [hostExists(hostId)]);
  }
  const problems = problemsOf(request);
  if (problems.length > 0) throw validationError(problems);
  const scope = hostId === null ? context.viewer.hostIds : [hostId];
  const { snapshot, settings } = await context.fleet.snapshot();
  const asker = { viewer: context.viewer, database: context.pool };
  const asked = await placementContext(asker, settings, {
    scope,
    node: null,
    facts: { template: null, file: null, fileNodes: null },
  });
  return place(snapshot, request, asked);
}

const problemsOf = ({ memoryMb, cores, diskGb }: PlacementRequest): Problem[] => [
  ...leastProblems("memory_mb", memoryMb, 1),
  ...leastProblems("cores", cores, 1),
  ...leastProblems("disk_gb", diskGb, 1),
];
