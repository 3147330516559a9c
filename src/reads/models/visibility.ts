// Which rows each kind of viewer may see: the one place where scope, ownership and assignment become SQL.
import { Permission } from "../../core/access/permissions.js";
import { UserRole } from "../../core/enums.js";
import type { Viewer } from "../../access/viewer.js";
import { scopedHostIds, viewerTokenId, viewerUserId, type Bind } from "../engine/statement.js";

const NOTHING = "false";

/**
 * Hosts in a token's scope; a reseller's hosts are those with a node assigned or with a customer's guest; customers and
 * strangers see none.
 */
export function visibleHost(hostId: string, viewer: Viewer, bind: Bind): string | null {
  if (viewer.kind === "anonymous") return NOTHING;
  if (viewer.kind === "token") return viewer.hostIds === null ? null : `${hostId} = any(${bind(scopedHostIds)})`;
  if (viewer.role === UserRole.ADMIN || viewer.role === UserRole.OPERATOR) return null;
  if (viewer.role === UserRole.CUSTOMER) return NOTHING;
  const reseller = bind(viewerUserId);
  const assigned = `exists (select 1 from reseller_node rn join node rnn on rnn.id = rn.node_id where rnn.host_id = ${hostId} and rn.user_id = ${reseller})`;
  const inUse = `exists (select 1 from guest rg join user_account ru on ru.id = rg.owner_id where ru.created_by = ${reseller} and rg.gone_at is null and rg.host_id = ${hostId})`;
  return `(${assigned} or ${inUse})`;
}

/** SQL that gives the value where its host is one that the viewer may see, else null. */
export function ofVisibleHost(value: string, hostId: string, viewer: Viewer, bind: Bind): string {
  const visible = visibleHost(hostId, viewer, bind);
  return visible === null ? value : `case when ${visible} then ${value} end`;
}

/**
 * Moves both of whose ends the viewer may see: their errors, warnings and logs name either. `move` is the alias of a migration
 * row.
 */
export function visibleMove(move: string, viewer: Viewer, bind: Bind): string | null {
  const source = visibleHost(`${move}.source_host_id`, viewer, bind);
  const target = visibleHost(`${move}.target_host_id`, viewer, bind);
  return source === null || target === null ? null : `(${source} and ${target})`;
}

/** As hosts; a reseller sees only the nodes assigned. `node` is the alias of a node row. */
export function visibleNode(node: string, viewer: Viewer, bind: Bind): string | null {
  if (viewer.kind !== "user" || viewer.role !== UserRole.RESELLER) return visibleHost(`${node}.host_id`, viewer, bind);
  return `exists (select 1 from reseller_node rn where rn.node_id = ${node}.id and rn.user_id = ${bind(viewerUserId)})`;
}

/** Whether the host alone decides which guests this viewer may see. */
export const seesGuestsByHost = (viewer: Viewer): boolean =>
  viewer.kind !== "user" || (viewer.role !== UserRole.CUSTOMER && viewer.role !== UserRole.RESELLER);

/** Guests that are there, of hosts in scope; resellers see those of their customers, customers their own. */
export function visibleGuest(guest: string, viewer: Viewer, bind: Bind): string {
  const present = `${guest}.gone_at is null`;
  if (viewer.kind === "user" && viewer.role === UserRole.CUSTOMER) {
    return `${present} and ${guest}.owner_id = ${bind(viewerUserId)}`;
  }
  if (viewer.kind === "user" && viewer.role === UserRole.RESELLER) {
    return `${present} and ${guest}.owner_id in (select id from user_account where created_by = ${bind(viewerUserId)})`;
  }
  const host = visibleHost(`${guest}.host_id`, viewer, bind);
  return host === null ? present : `${present} and ${host}`;
}

/** Users whom this viewer may know: who manages hosts everybody, tokens customers and resellers, resellers theirs, people themselves. */
export function visibleUser(user: string, viewer: Viewer, bind: Bind): string | null {
  if (viewer.kind === "anonymous") return NOTHING;
  if (viewer.permissions.has(Permission.HOSTS_MANAGE)) return null;
  if (viewer.kind === "token") return `${user}.role in ('${UserRole.CUSTOMER}', '${UserRole.RESELLER}')`;
  const self = `${user}.id = ${bind(viewerUserId)}`;
  return viewer.role === UserRole.CUSTOMER ? self : `(${self} or ${user}.created_by = ${bind(viewerUserId)})`;
}

/** Whether this viewer knows whoever owns a guest that they may see. */
export const knowsOwners = (viewer: Viewer): boolean =>
  viewer.kind === "user" || viewer.permissions.has(Permission.HOSTS_MANAGE);

/**
 * API tokens are for those who manage hosts, as their resolver asks: a token of bounded scope knows those that reach no
 * further, and every token itself.
 */
export function visibleApiToken(token: string, viewer: Viewer, bind: Bind): string | null {
  const manages = viewer.permissions.has(Permission.HOSTS_MANAGE);
  if (manages && viewer.hostIds === null) return null;
  if (viewer.kind !== "token") return NOTHING;
  const self = `${token}.id = ${bind(viewerTokenId)}`;
  if (!manages) return self;
  return `(${self} or (${token}.connection_scope <> '{}' and ${token}.connection_scope <@ ${bind(scopedHostIds)}::int[]))`;
}

/** Calls are for those who manage hosts, as their resolver asks: a token of bounded scope sees those of the tokens it knows. */
export function visibleRequest(entry: string, viewer: Viewer, bind: Bind): string | null {
  const tokens = visibleApiToken("known_token", viewer, bind);
  return tokens === null
    ? null
    : `${entry}.token_id in (select known_token.id from api_token known_token where ${tokens})`;
}
