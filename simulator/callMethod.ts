// Dispatches a call of the API: route, permission, node, parameters, then the method itself.
import type { ApiAnswer, ApiRequest, Identity } from "./api.js";
import { ApiError, failure, parameterError, permissionError } from "./api.js";
import { perlText } from "./parameters/check.js";
import { checkParameters } from "./parameters/parameters.js";
import type { Platform } from "./platform.js";
import type { Match } from "./router.js";
import { Router } from "./router.js";
import { routes } from "./routes.js";
import { superuser } from "./state/access.js";
import type { Release } from "./version.js";

const routers = new Map<Release, Router>();

/**
 * Answers one API call.
 * @throws ApiError for every refusal
 */
export async function callMethod(platform: Platform, request: ApiRequest): Promise<ApiAnswer> {
  const match = routerOf(platform.release).find(request.method, request.segments);
  if (match === null) throw new ApiError(501, `Method '${request.method} ${request.path}' not implemented`);
  const raw = mergePath(request.parameters, match.pathParameters);
  authorize(platform, request.identity, { match, raw });
  reachNode(platform, match);
  const parameters = checkParameters(raw, match.table);
  return match.route.handle({
    platform,
    identity: request.identity ?? nobody,
    parameters,
    answeringNode: request.answeringNode ?? platform.firstNode,
    sourceAddress: request.sourceAddress,
  });
}

function routerOf(release: Release): Router {
  const router = routers.get(release) ?? new Router(routes, release);
  routers.set(release, router);
  return router;
}

interface Matched {
  readonly match: Match;
  readonly raw: Record<string, unknown>;
}

function authorize(platform: Platform, identity: Identity | null, { match: { route }, raw }: Matched): void {
  if (route.requires === "world") return;
  if (identity === null) throw permissionError("user != null");
  const { permissions, state } = platform;
  if (identity.label !== superuser) {
    const parameters = Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, perlText(value)]));
    route.requires({ permissions, state: state.access, label: identity.label, parameters });
  }
  if (route.tokensAllowed === false && identity.tokenId !== null)
    throw permissionError(`URI '${route.path}' not available with API token, need proper ticket.`);
}

/** A call for another member is handed to it; that fails when there is none or it is down. */
function reachNode(platform: Platform, { route, pathParameters }: Match): void {
  const name = pathParameters.node;
  if (name === undefined || route.proxied === false || name === "localhost") return;
  const node = platform.state.nodes.get(name);
  if (node === undefined)
    throw failure(
      `hostname lookup '${name}' failed - failed to get address info for: ${name}: Temporary failure in name resolution`,
    );
  if (!node.online) throw new ApiError(595, "No route to host");
}

const nobody: Identity = { user: "", tokenId: null, label: "", ticket: false };

function mergePath(
  parameters: Readonly<Record<string, unknown>>,
  pathParameters: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...pathParameters };
  for (const [name, value] of Object.entries(parameters)) {
    if (name === "_dc") continue;
    const inPath = pathParameters[name];
    if (inPath !== undefined && inPath !== perlText(value))
      throw parameterError({ [name]: "duplicate parameter (already defined in URI) with conflicting values!" });
    merged[name] = value;
  }
  return merged;
}
