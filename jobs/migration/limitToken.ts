// Limits the temporary token of a move to what the move needs on the target, if the target lets its connection do so.
import { targetBridges } from "../../src/actions/migration/rightsAtTarget.js";
import type { Right } from "../../src/core/hostRights.js";
import { missingToLimit, tokenLimits, type TokenLimits } from "../../src/core/migration/tokenGrants.js";
import type { TokenName } from "../../src/hypervisor/access.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import { isPlatformError, PlatformReason } from "../../src/hypervisor/platformError.js";
import { inputOf, type MigrationContext } from "./context.js";

/** The token cannot be given rights of its own; the message says why, as the target itself told. */
export class NotLimited extends Error {
  override readonly name = "NotLimited";
}

/** Asks the target alone: what the source says of its guest was settled by the checks before. */
export async function limitsOf(
  context: MigrationContext,
  hypervisor: Hypervisor,
): Promise<{ limits: TokenLimits; missing: Right[] }> {
  const { target, storages, bridges } = inputOf(context);
  const { node, vmid } = target;
  const [{ version }, networks, roles, permissions] = await Promise.all([
    hypervisor.nodeVersion(node),
    hypervisor.networks(node),
    hypervisor.roles(),
    hypervisor.permissions(),
  ]);
  const arrival = {
    version,
    node,
    vmid,
    storages: targetsOf(storages),
    bridges: targetBridges(targetsOf(bridges), networks),
  };
  const limits = tokenLimits(arrival, context.facts.tokenModifies === true);
  return { limits, missing: missingToLimit(limits, roles, permissions) };
}

const targetsOf = (pairs: readonly { readonly target: string }[]): string[] => [
  ...new Set(pairs.map(({ target }) => target)),
];

/** @throws NotLimited; DroverError platform for what may pass */
export async function limit(hypervisor: Hypervisor, token: TokenName, { roles, grants }: TokenLimits): Promise<void> {
  await orNotLimited("make its roles", async () => {
    for (const role of roles) await hypervisor.ensureRole(role);
  });
  for (const rule of grants)
    await orNotLimited(`grant ${rule.role} on ${rule.path}`, () => hypervisor.grant(token, rule));
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
