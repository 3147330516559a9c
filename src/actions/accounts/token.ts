// Makes and revokes API tokens.
import { newAccessToken } from "../../access/accessToken.js";
import { isHostPermitted, permit } from "../../access/permit.js";
import type { Context } from "../../context/context.js";
import { compileAllowedIps } from "../../core/access/allowedIps.js";
import { Permission, permissionsOfToken, readPermissions } from "../../core/access/permissions.js";
import { isWithinScope, scopeOf } from "../../core/access/scope.js";
import { reachProblems, type TokenReach } from "../../core/access/tokenReach.js";
import { accepted, describeProblems, refused, type Checked, type Problem } from "../../core/problem.js";
import { inTransaction } from "../../db/transaction.js";
import { DroverError, notFound, validationError } from "../../errors/errors.js";
import * as apiTokens from "../../store/apiToken.js";
import * as hosts from "../../store/host/known.js";
import type { Connection } from "../../store/tables.js";
import { nameProblems } from "../inputProblems.js";

type Optional<Value> = Value | null | undefined;

/** What an operator asks of a new token; everything but the name may be left out. */
export interface ApiTokenRequest {
  readonly name: string;
  /** One IP address or CIDR a line; blank: any source. */
  readonly allowedIps?: Optional<string>;
  /** Requests a minute; null or 0: no limit. */
  readonly rateLimit?: Optional<number>;
  /** Ids of hosts; empty: every host. */
  readonly connectionScope?: Optional<readonly number[]>;
  /** Granted beyond what every token may do. */
  readonly permissions?: Optional<readonly string[]>;
  readonly expiresAt?: Optional<Date>;
}

interface CreatedApiToken {
  readonly id: number;
  /** The token itself; returned only here. */
  readonly value: string;
}

/**
 * Makes a token. A token that makes tokens cannot give away more than it has, in any respect, nor for longer: what it made is
 * revoked with it.
 * @throws DroverError `validation` that names every offending field; `forbidden` (`BEYOND_OWN_TOKEN`) that names every field in
 *   which it would reach beyond the caller's own token
 */
export async function createApiToken(context: Context, input: ApiTokenRequest): Promise<CreatedApiToken> {
  permit(context, Permission.HOSTS_MANAGE);
  const reach = reachOf(input);
  const problems = [
    ...problemsOf(input, context.clock.now()),
    ...(reach.ok ? [] : reach.problems),
    ...(await unknownHosts(context, input)),
  ];
  if (problems.length > 0 || !reach.ok) throw validationError(problems);

  const { value, hash, prefix } = newAccessToken("apiToken");
  const id = await inTransaction(context.pool, async (client) => {
    await refuseMoreThanOwn(context, client, reach.value);
    return apiTokens.insert(client, {
      ...columnsOf(input),
      prefix,
      tokenHash: hash,
      madeBy: context.viewer.kind === "token" ? context.viewer.tokenId : null,
      createdAt: context.clock.now(),
    });
  });
  return { id, value };
}

const columnsOf = (input: ApiTokenRequest) => ({
  name: input.name.trim(),
  allowedIps: input.allowedIps?.trim() ? input.allowedIps.trim() : null,
  rateLimit: input.rateLimit ?? null,
  connectionScope: [...(scopeOf(input.connectionScope) ?? [])],
  permissions: [...new Set(input.permissions)],
  expiresAt: input.expiresAt ?? null,
});

/**
 * Revokes a token, with all that it made and that those made, at once here and, within a second, in every other process.
 * Revoking it again changes nothing.
 * @throws DroverError `notFound` also for tokens of a wider scope than the caller's
 */
export async function revokeApiToken(context: Context, id: number): Promise<void> {
  permit(context, Permission.HOSTS_MANAGE);
  const hostIds = await apiTokens.connectionScope(context.pool, id);
  if (hostIds === null || !isWithinScope(context.viewer.hostIds, scopeOf(hostIds))) throw notFound(`API token ${id}`);
  await apiTokens.revoke(context.pool, id, context.clock.now());
  context.events.emitLocal("access", 0);
}

function problemsOf(input: ApiTokenRequest, now: Date): Problem[] {
  return [
    ...nameProblems(input.name),
    ...((input.rateLimit ?? 0) < 0 ? [{ field: "rateLimit", message: "must be 0 (no limit) or more" }] : []),
    ...(input.expiresAt && input.expiresAt <= now ? [{ field: "expiresAt", message: "must be in the future" }] : []),
  ];
}

/** What decides how far a token reaches, as it is asked for and as it is stored. */
type Reaching = Pick<ApiTokenRequest, "allowedIps" | "rateLimit" | "connectionScope" | "permissions" | "expiresAt">;

function reachOf({ allowedIps, rateLimit, connectionScope, permissions, expiresAt }: Reaching): Checked<TokenReach> {
  const sources = compileAllowedIps(allowedIps ?? null);
  const granted = readPermissions(permissions ?? []);
  if (!sources.ok || !granted.ok) {
    return refused(...(sources.ok ? [] : sources.problems), ...(granted.ok ? [] : granted.problems));
  }
  return accepted({
    scope: scopeOf(connectionScope),
    permissions: permissionsOfToken(granted.value),
    allowedSources: sources.value,
    rateLimit: rateLimit ?? null,
    expiresAt: expiresAt ?? null,
  });
}

/** Of hosts out of the caller's own scope it does not tell which there are: those are refused as such. */
async function unknownHosts(context: Context, { connectionScope }: ApiTokenRequest): Promise<Problem[]> {
  const wanted = (scopeOf(connectionScope) ?? []).filter((hostId) => isHostPermitted(context, hostId));
  if (wanted.length === 0) return [];
  const unknown = await hosts.unknownOf(context.pool, wanted);
  return unknown.length === 0 ? [] : [{ field: "connectionScope", message: `has no such host: ${unknown.join(", ")}` }];
}

/** People may grant whatever they may do themselves. A token that is revoked meanwhile makes nothing any more. */
async function refuseMoreThanOwn({ viewer }: Context, connection: Connection, wanted: TokenReach): Promise<void> {
  if (viewer.kind !== "token") return;
  const own = await apiTokens.hold(connection, viewer.tokenId);
  if (own === null || own.revokedAt) throw new DroverError("unauthenticated", "The token is unknown or revoked");
  const reach = reachOf(own);
  if (!reach.ok) throw new Error(`The stored token ${own.id} is malformed: ${describeProblems(reach.problems)}`);
  const fields = reachProblems(reach.value, wanted);
  if (fields.length === 0) return;
  throw new DroverError("forbidden", `A token cannot make a stronger one: ${describeProblems(fields)}`, {
    reason: "BEYOND_OWN_TOKEN",
    fields,
  });
}
