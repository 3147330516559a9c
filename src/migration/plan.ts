// Plans the move of a guest to another host: what the operator sees, and decides on, before it starts.
import type { LoadedSnapshot } from "../core/placement/context.js";
import pLimit from "p-limit";
import { isHostPermitted, permit, permitHost } from "../access/permit.js";
import type { Context } from "../context/context.js";
import { Permission } from "../core/access/permissions.js";
import { migrationPlan, type MigrationPlan } from "../core/migration/plan.js";
import { isNodeName, vmidOrNull } from "../core/names.js";
import type { Problem } from "../core/problem.js";
import { DroverError, notFound, validationError } from "../errors/errors.js";
import { gatherMove, type GatheredMove } from "./gather.js";
import { knowledgeOfMany, knowledgeOfOne, type MoveKnowledge, type PlanningServices } from "./moveKnowledge.js";
import { findMovingGuest } from "./moveRecords.js";
import type { MoveRequest } from "./moveRequest.js";

/** A choice for one name of the source. */
interface MapEntry {
  readonly source: string;
  readonly target: string;
}

/** A move as an operator asks for it. */
export interface MigrationRequest {
  readonly guestId: number;
  readonly targetHostId: number;
  readonly targetNode: string;
  readonly targetVmid?: number | null;
  readonly storageMap?: readonly MapEntry[] | null;
  readonly bridgeMap?: readonly MapEntry[] | null;
  readonly ipZoneId?: number | null;
  readonly dropPortForwards?: boolean | null;
  /** MiB/s; left out: the setting. */
  readonly bandwidthMib?: number | null;
}

/** A plan, and what it was made of. */
export interface PlannedMove {
  readonly plan: MigrationPlan;
  readonly move: GatheredMove;
  readonly request: MoveRequest;
}

/** @throws DroverError forbidden, notFound (guest, host), validation, conflict `GUEST_GONE` and `NO_FREE_VMID`, platform (the source does not answer) */
export async function planMigration(context: Context, input: MigrationRequest): Promise<PlannedMove> {
  permit(context, Permission.HOSTS_MANAGE);
  refuseProblems(input);
  permitHost(context, input.targetHostId);
  const guest = await findMovingGuest(context.pool, input.guestId);
  if (!isHostPermitted(context, guest.hostId)) throw notFound(`Guest ${input.guestId}`);
  return planMove(context, moveRequestOf(input));
}

/** The plan of any request, an operator's or a run's. @throws DroverError as `gatherMove` */
export const planMove = (services: PlanningServices, request: MoveRequest): Promise<PlannedMove> =>
  planKnown(knowledgeOfOne(services, null), request);

/** Each plan asks both hosts. */
const PLANS_AT_ONCE = 8;

/**
 * The plans of many moves: the number of statements does not depend on that of the moves.
 * @param loaded nodes of all hosts that take part
 * @returns for each request its plan, or the refusal of its planning
 */
export async function planMoves(
  services: PlanningServices,
  requests: readonly MoveRequest[],
  loaded: LoadedSnapshot,
): Promise<(MigrationPlan | DroverError)[]> {
  if (requests.length === 0) return [];
  const knowledge = await knowledgeOfMany(services, requests, loaded);
  return pLimit(PLANS_AT_ONCE).map(requests, async (request) => {
    try {
      return (await planKnown(knowledge, request)).plan;
    } catch (error) {
      if (error instanceof DroverError) return error;
      throw error;
    }
  });
}

async function planKnown(knowledge: MoveKnowledge, request: MoveRequest): Promise<PlannedMove> {
  const move = await gatherMove(knowledge, request, null);
  return { plan: migrationPlan(move.facts, move.parts), move, request };
}

function refuseProblems({ targetNode, targetVmid, bandwidthMib }: MigrationRequest): void {
  const problems: Problem[] = [];
  if (!isNodeName(targetNode)) problems.push({ field: "targetNode", message: "is no node name" });
  if (typeof targetVmid === "number" && vmidOrNull(targetVmid) === null)
    problems.push({ field: "targetVmid", message: "must be from 100 to 999999999" });
  if (typeof bandwidthMib === "number" && bandwidthMib < 1)
    problems.push({ field: "bandwidthMib", message: "must be at least 1" });
  if (problems.length > 0) throw validationError(problems);
}

const moveRequestOf = (input: MigrationRequest): MoveRequest => ({
  guestId: input.guestId,
  targetHostId: input.targetHostId,
  targetNode: input.targetNode,
  targetVmid: input.targetVmid ?? null,
  storages: nameMap(input.storageMap),
  bridges: nameMap(input.bridgeMap),
  ipZoneId: input.ipZoneId ?? null,
  dropPortForwards: input.dropPortForwards ?? false,
  bandwidthMib: input.bandwidthMib ?? null,
  unattended: false,
});

const nameMap = (entries: readonly MapEntry[] | null | undefined): Map<string, string> =>
  new Map((entries ?? []).map(({ source, target }) => [source, target]));
