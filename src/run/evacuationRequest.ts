// Checks what an evacuation is asked for, before any guest is looked at: hosts, nodes and IP zone.
import { permit, permitHost } from "../access/permit.js";
import type { Context } from "../context/context.js";
import { Permission } from "../core/access/permissions.js";
import type { Problem } from "../core/problem.js";
import { DroverError, notFound, validationError } from "../errors/errors.js";
import { routeFacts, type RouteFacts } from "../store/run/route.js";

/** From where, and where to; null leaves the choice to placement. */
export interface EvacuationRoute {
  readonly hostId: number;
  /** Only the guests of this node. */
  readonly node: string | null;
  readonly targetHostId: number | null;
  readonly targetNode: string | null;
  /** Zone of the target host for addresses that cannot be kept. */
  readonly ipZoneId: number | null;
  readonly dropPortForwards: boolean;
}

/** A route as callers write it. */
export interface AskedRoute {
  readonly hostId: number;
  readonly node?: string | null;
  readonly targetHostId?: number | null;
  readonly targetNode?: string | null;
  readonly ipZoneId?: number | null;
  readonly dropPortForwards?: boolean | null;
}

/** @throws DroverError unauthenticated, forbidden, notFound (the host), validation, conflict (`HOST_IN_MAINTENANCE`: the target) */
export async function acceptRoute(context: Context, asked: AskedRoute): Promise<EvacuationRoute> {
  const route = routeOf(asked);
  permit(context, Permission.HOSTS_MANAGE);
  permitHost(context, route.hostId);
  if (route.targetHostId !== null) permitHost(context, route.targetHostId);
  const facts = await routeFacts(context.pool, route);
  if (facts === null || !facts.host) throw notFound(`Host ${route.hostId}`);
  const problems = problemsOf(route, facts);
  if (problems.length > 0) throw validationError(problems);
  if (facts.targetMaintenance === true) {
    throw new DroverError("conflict", `host ${facts.targetName} is in maintenance`, { reason: "HOST_IN_MAINTENANCE" });
  }
  return route;
}

const routeOf = (asked: AskedRoute): EvacuationRoute => ({
  hostId: asked.hostId,
  node: asked.node ?? null,
  targetHostId: asked.targetHostId ?? null,
  targetNode: asked.targetNode ?? null,
  ipZoneId: asked.ipZoneId ?? null,
  dropPortForwards: asked.dropPortForwards ?? false,
});

function problemsOf(route: EvacuationRoute, facts: RouteFacts): Problem[] {
  const hasTarget = route.targetHostId !== null;
  const isTargetKnown = facts.targetName !== null;
  const checks: readonly [field: string, isWrong: boolean, message: string][] = [
    ["node", route.node !== null && !facts.node, "is no node of the host"],
    ["targetHostId", route.targetHostId === route.hostId, "must be another host"],
    ["targetHostId", hasTarget && !isTargetKnown, "is no known host"],
    ["targetHostId", !hasTarget && route.targetNode !== null, "must be given with targetNode"],
    ["targetHostId", !hasTarget && route.ipZoneId !== null, "must be given with ipZoneId"],
    ["targetNode", isTargetKnown && route.targetNode !== null && !facts.targetNode, "is no node of the target"],
    ["ipZoneId", isTargetKnown && route.ipZoneId !== null && !facts.zone, "is no IP zone of the target"],
  ];
  return checks.filter(([, isWrong]) => isWrong).map(([field, , message]) => ({ field, message }));
}
