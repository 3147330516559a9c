// Limits the temporary token of a move to what the move needs on the target, if the target lets its connection do so.
import { missingToLimit, tokenLimits, tokenRoles } from "./tokenGrants.js";
import type { TokenName } from "../../access.js";
import { isPlatformError, PlatformReason } from "../../platformError.js";
import { NotLimited, type ArrivalPlace, type TokenLimits } from "../../rights.js";
import { grant } from "./access.js";
import { inWords, targetBridges } from "./authority.js";
import type { Ask } from "../client.js";
import { readNodeVersion, readPermissions } from "../cluster.js";
import { readNetworks } from "../node.js";
import { ensureRole, readRoles } from "./roles.js";

/** Asks the target alone: what the source says of its guest was settled by the checks before. */
export async function planTokenLimits(ask: Ask, place: ArrivalPlace, modifies: boolean): Promise<TokenLimits> {
  const [{ version }, networks, roles, held] = await Promise.all([
    readNodeVersion(ask, place.node),
    readNetworks(ask, place.node),
    readRoles(ask),
    readPermissions(ask),
  ]);
  const arrival = { ...place, version, bridges: targetBridges(place.bridges, networks) };
  const limits = tokenLimits(arrival, modifies);
  return { grants: limits.grants, missing: inWords(missingToLimit(limits, roles, held)), modifies };
}

/** @throws NotLimited; DroverError platform for what may pass */
export async function limitToken(ask: Ask, token: TokenName, { grants, modifies }: TokenLimits): Promise<void> {
  await orNotLimited("make its roles", async () => {
    for (const role of tokenRoles(modifies)) await ensureRole(ask, role);
  });
  for (const rule of grants) await orNotLimited(`grant ${rule.role} on ${rule.path}`, () => grant(ask, token, rule));
}

async function orNotLimited(what: string, work: () => Promise<void>): Promise<void> {
  const { FORBIDDEN, REFUSED, NOT_FOUND } = PlatformReason;
  try {
    await work();
  } catch (error) {
    if (!isPlatformError(error, FORBIDDEN, REFUSED, NOT_FOUND)) throw error;
    throw new NotLimited(`it refuses to ${what}: ${error.message}`, { cause: error });
  }
}
