// Makes and revokes API tokens.
import { newBearerToken } from "../access/bearerToken.js";
import { permit } from "../access/permit.js";
import type { Context } from "../context.js";
import { compileAllowedIps } from "../core/access/allowedIps.js";
import { Permission, readPermissions } from "../core/access/permissions.js";
import { scopeOf, type Scope } from "../core/access/scope.js";
import type { Problem } from "../core/problem.js";
import { ApiToken } from "../entities/apiToken.js";
import { DroverError, notFound, validationError } from "../errors.js";

type Optional<Value> = Value | null | undefined;

/** What an operator asks of a new token; everything but the name may be left out. */
export interface ApiTokenInput {
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

export interface CreatedApiToken {
  readonly id: number;
  /** The token itself; told once. */
  readonly value: string;
}

const LONGEST_NAME = 200;

/**
 * Makes a token. A token that makes tokens cannot give away more than it has.
 * @throws DroverError `validation` that names every offending field; `forbidden` beyond the caller's scope or permissions
 */
export async function createApiToken(context: Context, input: ApiTokenInput): Promise<CreatedApiToken> {
  permit(context, Permission.HOSTS_MANAGE);
  const problems = [...problemsOf(input, context.clock.now()), ...(await unknownHosts(context, input))];
  if (problems.length > 0) throw validationError(problems);
  refuseMoreThanOwn(context, scopeOf(input.connectionScope));

  const { value, hash, prefix } = newBearerToken("apiToken");
  const entities = context.entities();
  const token = entities.create(ApiToken, {
    name: input.name.trim(),
    prefix,
    tokenHash: hash,
    allowedIps: input.allowedIps?.trim() ? input.allowedIps.trim() : null,
    rateLimit: input.rateLimit ?? null,
    connectionScope: [...(scopeOf(input.connectionScope) ?? [])],
    permissions: [...new Set(input.permissions)],
    createdAt: context.clock.now(),
    expiresAt: input.expiresAt ?? null,
  });
  await entities.flush();
  return { id: token.id, value };
}

/**
 * Revokes a token at once, here and, within a second, in every other process. Revoking it again changes nothing.
 * @throws DroverError `notFound` also for tokens of a wider scope than the caller's
 */
export async function revokeApiToken(context: Context, id: number): Promise<void> {
  permit(context, Permission.HOSTS_MANAGE);
  const entities = context.entities();
  const token = await entities.findOne(ApiToken, id);
  if (token === null || !isWithin(token, context.viewer.hostIds)) throw notFound(`API token ${id}`);
  token.revokedAt ??= context.clock.now();
  await entities.flush();
  context.events.tell("access", 0);
}

function problemsOf(input: ApiTokenInput, now: Date): Problem[] {
  const name = input.name.trim();
  const allowed = compileAllowedIps(input.allowedIps ?? null);
  const permissions = readPermissions(input.permissions ?? []);
  return [
    ...(name === "" || name.length > LONGEST_NAME ? [{ field: "name", message: "must have 1 to 200 characters" }] : []),
    ...(allowed.ok ? [] : allowed.problems),
    ...((input.rateLimit ?? 0) < 0 ? [{ field: "rateLimit", message: "must be 0 (no limit) or more" }] : []),
    ...(permissions.ok ? [] : permissions.problems),
    ...(input.expiresAt && input.expiresAt <= now ? [{ field: "expiresAt", message: "must be in the future" }] : []),
  ];
}

async function unknownHosts({ pool }: Context, { connectionScope }: ApiTokenInput): Promise<Problem[]> {
  const wanted = scopeOf(connectionScope) ?? [];
  if (wanted.length === 0) return [];
  const { rows } = await pool.query<{ id: number }>(
    "select id from unnest($1::int[]) as wanted (id) where id not in (select id from host)",
    [wanted],
  );
  const unknown = rows.map(({ id }) => id);
  return unknown.length === 0 ? [] : [{ field: "connectionScope", message: `has no such host: ${unknown.join(", ")}` }];
}

function refuseMoreThanOwn({ viewer }: Context, scope: Scope): void {
  const own = viewer.hostIds;
  if (own === null || scope?.every((hostId) => own.includes(hostId)) === true) return;
  throw new DroverError("forbidden", "A token's scope cannot be wider than that of the token that makes it");
}

const isWithin = ({ connectionScope }: ApiToken, own: Scope): boolean =>
  own === null || (connectionScope.length > 0 && connectionScope.every((hostId) => own.includes(hostId)));
