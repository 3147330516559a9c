// Decides who may see the same: their reads are one statement, and their subscriptions one execution.
import { Permission } from "../core/access/permissions.js";
import { UserRole } from "../core/enums.js";
import type { Viewer } from "./viewer.js";

/** Viewers of one shape get the same SQL; their ids and scopes are parameters. */
export function viewerShape(viewer: Viewer): string {
  const who = viewer.kind === "user" ? viewer.role : viewer.kind;
  return `${who}:${viewer.hostIds === null ? "all" : "scoped"}:${[...viewer.permissions].join(",")}`;
}

/**
 * Viewers of one sight may ask the same, and see the same of everything. Who manages all hosts sees all, whoever it is; what
 * others see may depend on who they are.
 */
export function sightOf(viewer: Viewer): string {
  return JSON.stringify([viewerShape(viewer), viewer.hostIds, seesAll(viewer) ? "anybody" : identityOf(viewer)]);
}

/** So that no id of the viewer is a parameter of any read. */
function seesAll(viewer: Viewer): boolean {
  if (viewer.hostIds !== null || !viewer.permissions.has(Permission.HOSTS_MANAGE)) return false;
  return viewer.kind !== "user" || viewer.role === UserRole.ADMIN || viewer.role === UserRole.OPERATOR;
}

function identityOf(viewer: Viewer): number | null {
  if (viewer.kind === "anonymous") return null;
  return viewer.kind === "token" ? viewer.tokenId : viewer.userId;
}
