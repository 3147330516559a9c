// Removes short-lived tokens from their hosts, by the ledger that was written before each was made.
import type { PoolClient } from "pg";
import { z } from "zod";
import pLimit from "p-limit";
import type { Services } from "../../src/context/context.js";
import type { Grant, TokenName } from "../../src/hypervisor/access.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import { isPlatformError, PlatformReason } from "../../src/hypervisor/platformError.js";
import * as temporaryTokens from "../../src/store/temporaryToken.js";
import { mayBeAtWork } from "../../src/migration/transferAtWork.js";

const storedGrants = z.array(z.object({ path: z.string(), role: z.string(), propagate: z.boolean() }));

/** So many of one host are tried at a time. */
const MOST_OF_A_HOST = 100;
const HOSTS_AT_ONCE = 8;

type Parts = Pick<Services, "pool" | "hypervisors" | "log">;

/** A job under the lease of the worker that removes its tokens. */
export interface HeldJob {
  readonly id: number;
  /** Runs work in a transaction that holds the job's row. @throws Fenced when another worker has taken the job over */
  whileHeld<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result>;
}

/**
 * Removes the tokens that a job has by now.
 * @throws Fenced when another worker holds the job: its transfer may use the token that is in the ledger now; DroverError when a
 * host does not let it: then they stay in the ledger
 */
export const removeTokensOf = (services: Parts, job: HeldJob): Promise<void> =>
  removeThose(services, job, revokeIfAllowed);

/** The same at the end of a move, but a token waits in the ledger for a rule that its host does not let go. @throws as `removeTokensOf` */
export const removeTokensAndRulesOf = (services: Parts, job: HeldJob): Promise<void> =>
  removeThose(services, job, revokeOrThrow);

/** Hosts know no lease. What was selected under it is no successor's: a successor makes its token after it has taken the job over. */
async function removeThose(services: Parts, job: HeldJob, revoke: Revoke): Promise<void> {
  const rows = await job.whileHeld((client) => temporaryTokens.ofJob(client, job.id));
  for (const row of rows) {
    if (await removeAtHost(services, row, revoke))
      await job.whileHeld((client) => temporaryTokens.markRemoved(client, row.id));
  }
}

/** Removes what ended jobs have left; a host that is away is asked again next time. @returns how many were removed */
export async function sweepTokens(services: Parts): Promise<number> {
  const rows = await temporaryTokens.leftOver(services.pool, MOST_OF_A_HOST);
  const hosts = [...Map.groupBy(rows, ({ hostId }) => hostId).values()];
  const removed = await pLimit(HOSTS_AT_ONCE).map(hosts, (ofHost) => sweepHost(services, ofHost));
  return removed.reduce((sum, count) => sum + count, 0);
}

async function sweepHost(services: Parts, rows: readonly temporaryTokens.LeftOver[]): Promise<number> {
  let removed = 0;
  for (const row of rows) {
    try {
      if (row.ends !== null && (await mayBeAtWork(services, row.ends))) continue;
      if (
        !(await temporaryTokens.withdraw(services.pool, row.id)) ||
        !(await removeAtHost(services, row, revokeIfAllowed))
      )
        continue;
      await temporaryTokens.markRemoved(services.pool, row.id);
      removed++;
    } catch (error) {
      services.log.warn({ err: error, hostId: row.hostId, token: row.name }, "a temporary token could not be removed");
      if (!isAboutToken(error)) break;
    }
  }
  return removed;
}

/** Whether the host, which answered and let us in, may let its other tokens go all the same. */
const isAboutToken = (error: unknown): boolean =>
  isPlatformError(error, PlatformReason.REFUSED, PlatformReason.FORBIDDEN, PlatformReason.UNCERTAIN);

type Revoke = (parts: Parts, hypervisor: Hypervisor, rule: Grant & { readonly token: TokenName }) => Promise<void>;

/**
 * Access rules go first: those of a token that is gone would stay, and be complained about in every task's log.
 * @returns whether the token is gone for good; false: it is not there, and may still be made, so that another look is due
 */
async function removeAtHost(services: Parts, row: temporaryTokens.LedgerRow, revoke: Revoke): Promise<boolean> {
  const { hostId, user, name } = row;
  const hypervisor = await services.hypervisors.of(hostId);
  const token = { user, name };
  if (!(await hypervisor.tokens(user)).includes(name)) return row.isSettled;
  for (const rule of grantsOf(services, row)) await revoke(services, hypervisor, { ...rule, token });
  await hypervisor.deleteToken(token);
  return true;
}

/** Rules of which the ledger does not tell stay: without the token nobody has them. */
function grantsOf({ log }: Parts, { name, grants }: temporaryTokens.LedgerRow): readonly Grant[] {
  const read = storedGrants.safeParse(grants);
  if (read.success) return read.data;
  log.warn({ err: read.error, token: name }, "the access rules of a temporary token cannot be read, and stay");
  return [];
}

/** What is refused for a moment only, the sweep is not refused any more. */
const revokeOrThrow: Revoke = (_services, hypervisor, { token, ...rule }) => hypervisor.revoke(token, rule);

/** A rule that the host refuses to remove again and again does not keep the token alive. */
const revokeIfAllowed: Revoke = async ({ log }, hypervisor, { token, ...rule }) => {
  try {
    await hypervisor.revoke(token, rule);
  } catch (error) {
    if (!isPlatformError(error, PlatformReason.REFUSED, PlatformReason.FORBIDDEN)) throw error;
    log.warn({ err: error, token: token.name, path: rule.path }, "an access rule of a temporary token stays");
  }
};
