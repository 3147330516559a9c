// Makes the temporary token with which the source writes to the target, with as few rights as the target can grant.
import { randomBytes } from "node:crypto";
import { openedToken, sealedToken } from "../../src/job/jobSecrets.js";
import * as hosts from "../../src/store/host/record.js";
import * as temporaryTokens from "../../src/store/temporaryToken.js";
import * as tokenRefusals from "../../src/store/tokenRefusal.js";
import { removeTokensOf } from "./removeTokens.js";
import { machineTime } from "../../src/concurrency/clock.js";
import { MigrationStep } from "../../src/core/enums.js";
import { MIB } from "../../src/core/units.js";
import { DroverError } from "../../src/errors/errors.js";
import type { Grant, TokenName, TokenRequest } from "../../src/hypervisor/access.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import { isPlatformError, placeOf, PlatformReason, platformError } from "../../src/hypervisor/platformError.js";
import { NotLimited, TokenRefused, type TokenLimits } from "../../src/hypervisor/rights.js";
import { proveLease } from "../engine/proveLease.js";
import { KEPT, wasBegun, type Step } from "../engine/step.js";
import { removeToken } from "./removeToken.js";
import {
  heldJob,
  inputOf,
  retryTransient,
  targetHost,
  whileHeld,
  type MigrationFacts,
  type MigrationContext,
} from "./context.js";

const PATIENCE_MS = 20_000;
/** A token must outlive its move: every further disk opens a connection that authenticates again. */
const SHORTEST_SECONDS = 6 * 3600;
const SLOWEST_BYTES_PER_SECOND = 5 * MIB;

export const targetToken: Step<MigrationFacts> = {
  name: MigrationStep.TARGET_TOKEN,
  weight: 1,
  async run(context) {
    if (!wasBegun(context.facts, MigrationStep.TRANSFER)) await makeOnlyToken(context);
    return {};
  },
  async undo(context) {
    await context.remember({ undoing: "removing the access that the move had to the target" });
    return (await removeToken(context)) ? null : KEPT;
  },
};

/** In place of those that earlier attempts have left. */
const makeOnlyToken = (context: MigrationContext): Promise<void> =>
  retryTransient(context, PATIENCE_MS, async () => {
    await removeTokensOf(context.services, heldJob(context));
    await makeToken(context);
  });

/** A token that is limited to the move, or, where the operator allows it, one with all rights of its user. */
async function makeToken(context: MigrationContext): Promise<void> {
  const hypervisor = await targetHost(context);
  const host = await readTarget(context);
  const limits = await limitsOf(context, hypervisor);
  try {
    if (limits.missing !== null) throw new NotLimited(`its connection lacks ${limits.missing}`);
    await make(context, { hypervisor, host, limits });
  } catch (error) {
    if (!(error instanceof NotLimited)) throw error;
    if (!host.allowsUnrestricted) throw notLimited(host, error);
    context.log.warn({ err: error }, "the temporary token gets all rights of its user");
    await removeTokensOf(context.services, heldJob(context));
    await make(context, { hypervisor, host, limits: null });
    context.warn(`the temporary token had all rights of the connection of host ${host.name}: ${error.message}`);
  }
}

/** The target alone says which; what the source says of its guest was settled by the checks before. */
function limitsOf(context: MigrationContext, hypervisor: Hypervisor): Promise<TokenLimits> {
  const { target, storages, bridges } = inputOf(context);
  const { node, vmid } = target;
  const place = { node, vmid, storages: targetsOf(storages), bridges: targetsOf(bridges) };
  return hypervisor.planTokenLimits(place, context.facts.tokenModifies === true);
}

const targetsOf = (pairs: readonly { readonly target: string }[]): string[] => [
  ...new Set(pairs.map(({ target }) => target)),
];

const notLimited = ({ name }: hosts.TargetHost, cause: NotLimited): DroverError =>
  new DroverError(
    "conflict",
    `the move's temporary token cannot be limited on host ${name} (${cause.message}), and the host allows no unrestricted one`,
    { reason: "TARGET_TOKEN_NOT_LIMITED", cause },
  );

interface Making {
  readonly hypervisor: Hypervisor;
  readonly host: hosts.TargetHost;
  /** Null: it gets all rights of its user. */
  readonly limits: TokenLimits | null;
}

async function make(context: MigrationContext, { hypervisor, host, limits }: Making): Promise<void> {
  const { services, job } = context;
  const expiresAt = new Date(machineTime(services.clock).getTime() + lifetimeSeconds(context) * 1000);
  const token = await proveLease(context.stopwatch, () => record(context, { expiresAt, grants: limits?.grants ?? [] }));
  const comment = `${services.config.brand} migration ${inputOf(context).migrationId}`;
  const request = { ...token, expiresAt, separated: limits !== null, comment };
  const secret = await create(context, { hypervisor, host, request });
  if (limits !== null) await hypervisor.limitToken(token, limits);
  await whileHeld(context, async (client) => {
    const { hostId } = inputOf(context).target;
    const sealed = sealedToken(services.secrets, { ...token, hostId, secret });
    await temporaryTokens.setSecret(client, { jobId: job.id, name: token.name, sealed });
    await tokenRefusals.clear(client, { hostId, tokenId: token.id });
  });
}

interface Creation extends Pick<Making, "hypervisor" | "host"> {
  readonly request: TokenRequest & Recorded;
}

async function create(context: MigrationContext, { hypervisor, host, request }: Creation): Promise<string> {
  try {
    return await hypervisor.createToken(request);
  } catch (error) {
    const isDecided = error instanceof TokenRefused;
    if (!isDecided && !isPlatformError(error, PlatformReason.FORBIDDEN)) throw error;
    if (isDecided) await keepRefusal(context, request, error.message);
    const what = `host ${host.name} lets its connection make no token of ${request.user}: ${error.message}`;
    throw platformError(PlatformReason.FORBIDDEN, what, { place: placeOf(host.name, null), cause: error });
  }
}

/** For the plans of others. A worker that dies before has a successor, which asks again. @throws Fenced */
const keepRefusal = (context: MigrationContext, { id: tokenId }: Recorded, words: string): Promise<void> =>
  whileHeld(context, (client) => {
    const { hostId } = inputOf(context).target;
    return tokenRefusals.record(client, { hostId, tokenId, words, at: context.services.clock.now() });
  });

function lifetimeSeconds(context: MigrationContext): number {
  const { bytesTotal, expectedSeconds, transferSeconds, bandwidthMib } = inputOf(context);
  const estimate = Math.max(expectedSeconds ?? 0, transferSeconds ?? 0);
  const slowest = Math.min(SLOWEST_BYTES_PER_SECOND, (bandwidthMib ?? Number.POSITIVE_INFINITY) * MIB);
  return Math.max(SHORTEST_SECONDS, 4 * estimate, (2 * bytesTotal) / slowest);
}

async function readTarget(context: MigrationContext): Promise<hosts.TargetHost> {
  const { hostId } = inputOf(context).target;
  const host = await hosts.moveTarget(context.services.pool, hostId);
  if (host === null) throw notConnected(hostId);
  return host;
}

const notConnected = (hostId: number): Error => new Error(`host ${hostId} is no longer connected`);

interface NewToken {
  readonly expiresAt: Date;
  readonly grants: readonly Grant[];
}

/** A token in the ledger. */
interface Recorded {
  readonly id: number;
}

/** Under a name of its own each time: a request for an earlier one may still be on its way, and makes that one. */
async function record(context: MigrationContext, { expiresAt, grants }: NewToken): Promise<TokenName & Recorded> {
  const { hostId } = inputOf(context).target;
  const name = `mig-${context.job.id}-${randomBytes(6).toString("hex")}`;
  return whileHeld(context, async (client) => {
    const token = { hostId, jobId: context.job.id, name, grants, expiresAt };
    const recorded = await temporaryTokens.insert(client, token);
    if (recorded === null) throw notConnected(hostId);
    return { ...recorded, name };
  });
}

interface UsableToken {
  readonly token: TokenName;
  readonly secret: string;
}

/** The token of this job with its secret. A job that was parked may have lost it to the sweep, and gets another. */
export async function tokenOf(context: MigrationContext): Promise<UsableToken> {
  const kept = await storedToken(context);
  if (kept !== null) return kept;
  await makeOnlyToken(context);
  const made = await storedToken(context);
  if (made === null) throw new Error("the migration has no temporary token");
  return made;
}

async function storedToken(context: MigrationContext): Promise<UsableToken | null> {
  const row = await temporaryTokens.secretOfJob(context.services.pool, context.job.id);
  if (row === null) return null;
  return { token: { user: row.user, name: row.name }, secret: openedToken(context.services.secrets, row) };
}
