// Decides which viewers may see the same records: they can share a prepared statement, or the executions of a subscription.
import { Permission } from "../core/access/permissions.js";
import { UserRole } from "../core/enums.js";
import type { Viewer } from "./viewer.js";

/** Viewers of one shape get the same SQL text; their ids and scopes are its parameters. */
export function viewerShape(viewer: Viewer): string {
  const who = viewer.kind === "user" ? viewer.role : viewer.kind;
  return `${who}:${viewer.hostIds === null ? "all" : "scoped"}:${[...viewer.permissions].join(",")}`;
}

/**
 * Viewers with the same key have the same permissions and see the same records. All who manage every host share one key; what
 * others see may depend on who they are, so their key holds their id.
 */
export function visibilityKey(viewer: Viewer): string {
  return JSON.stringify([viewerShape(viewer), viewer.hostIds, seesAll(viewer) ? "anybody" : identityOf(viewer)]);
}

/** Then no read of theirs has the id of the viewer as a parameter. */
function seesAll(viewer: Viewer): boolean {
  if (viewer.hostIds !== null || !viewer.permissions.has(Permission.HOSTS_MANAGE)) return false;
  return viewer.kind !== "user" || viewer.role === UserRole.ADMIN || viewer.role === UserRole.OPERATOR;
}

function identityOf(viewer: Viewer): number | null {
  if (viewer.kind === "anonymous") return null;
  return viewer.kind === "token" ? viewer.tokenId : viewer.userId;
}
