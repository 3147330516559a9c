// Makes the temporary token with which the source writes to the target, with as few rights as the target can grant.
import { randomBytes } from "node:crypto";
import { removeTokensOf } from "../../src/actions/migration/removeTokens.js";
import { machineTime } from "../../src/clock.js";
import { MigrationStep } from "../../src/core/enums.js";
import { hasTags, MODIFY, rootPrivileges } from "../../src/core/migration/targetRights.js";
import { MIB } from "../../src/core/units.js";
import { isAtLeast } from "../../src/core/version.js";
import type { Grant, TokenName } from "../../src/hypervisor/access.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import { isPlatformError, PlatformReason } from "../../src/hypervisor/platformError.js";
import { wasBegun, type Step } from "../step.js";
import {
  inputOf,
  patiently,
  sourceGuest,
  sourceHost,
  targetHost,
  whileHeld,
  type MigrationFacts,
  type MigrationContext,
} from "./context.js";

const TOKEN_SECRET = "temporary.token";

const PATIENCE_MS = 20_000;
/** A token must outlive its move: every further disk opens a connection that proves itself anew. */
const SHORTEST_SECONDS = 6 * 3600;
const SLOWEST_BYTES_PER_SECOND = 5 * MIB;

export const targetToken: Step<MigrationFacts> = {
  name: MigrationStep.TARGET_TOKEN,
  weight: 1,
  async run(context) {
    if (wasBegun(context.facts, MigrationStep.TRANSFER)) return {};
    await patiently(context, PATIENCE_MS, async () => {
      await removeTokensOf(context.services, context.job.id);
      await makeToken(context);
    });
    return {};
  },
};

async function makeToken(context: MigrationContext): Promise<void> {
  const hypervisor = await targetHost(context);
  try {
    await make(context, hypervisor, await leastGrants(context, hypervisor));
  } catch (error) {
    // A connection that may not hand out single rights, or a host that has none, may still make a token with its user's.
    if (!(error instanceof NotGranted) && !isPlatformError(error, PlatformReason.FORBIDDEN)) throw error;
    context.log.warn({ err: error }, "the temporary token gets all rights of its user");
    await removeTokensOf(context.services, context.job.id);
    await make(context, hypervisor, null);
  }
}

interface Rights {
  readonly role: string;
  readonly privileges: readonly string[];
  readonly grants: readonly Grant[];
}

/** `Sys.Incoming` is in no role but the administrator's; the service keeps one of its own for it. */
async function leastGrants(context: MigrationContext, hypervisor: Hypervisor): Promise<Rights> {
  const { target, storages } = inputOf(context);
  const { version } = await hypervisor.nodeVersion(target.node);
  const privileges = await privilegesOnRoot(context, version);
  const role = `DroverMigration${privileges.includes(MODIFY) ? "Modify" : ""}`;
  const names = [...new Set(storages.map((pair) => pair.target))];
  return {
    role,
    privileges,
    grants: [
      { path: "/", role, propagate: false },
      { path: `/vms/${target.vmid}`, role: "PVEVMAdmin", propagate: true },
      ...names.map((name) => ({ path: `/storage/${name}`, role: "PVEDatastoreUser", propagate: true })),
      ...(isAtLeast(version, "8.0") ? [{ path: "/sdn/zones", role: "PVESDNUser", propagate: true }] : []),
    ],
  };
}

/** Which tags the target has registered only its administrators are told: with any tag the token may set them all. */
async function privilegesOnRoot(context: MigrationContext, targetVersion: string): Promise<string[]> {
  const { values } = await (await sourceHost(context)).guestConfig(sourceGuest(context));
  const needed = rootPrivileges(inputOf(context).type, values, targetVersion);
  return hasTags(values) && !needed.includes(MODIFY) ? [...needed, MODIFY] : needed;
}

async function make(context: MigrationContext, hypervisor: Hypervisor, rights: Rights | null): Promise<void> {
  const { services, job } = context;
  const name = `mig-${job.id}-${randomBytes(6).toString("hex")}`;
  const expiresAt = new Date(machineTime(services.clock).getTime() + lifetimeSeconds(context) * 1000);
  const token = await record(context, { name, expiresAt, grants: rights?.grants ?? [] });
  const secret = await hypervisor.createToken({
    ...token,
    expiresAt,
    separated: rights !== null,
    comment: `${services.config.brand} migration ${inputOf(context).migrationId}`,
  });
  if (rights !== null) await grantAll(hypervisor, token, rights);
  await whileHeld(context, (client) =>
    client.query(`update temporary_token set secret_encrypted = $3 where job_id = $1 and token_name = $2`, [
      job.id,
      name,
      services.secrets.seal(secret, TOKEN_SECRET),
    ]),
  );
}

/** The target does not give a token rights of its own. */
class NotGranted extends Error {
  override readonly name = "NotGranted";
}

/** @throws NotGranted; DroverError platform for what may pass */
async function grantAll(hypervisor: Hypervisor, token: TokenName, rights: Rights): Promise<void> {
  try {
    await hypervisor.ensureRole(rights.role, rights.privileges);
    for (const rule of rights.grants) await hypervisor.grant(token, rule);
  } catch (error) {
    if (!isPlatformError(error, PlatformReason.REFUSED, PlatformReason.NOT_FOUND)) throw error;
    throw new NotGranted("the target grants no single rights", { cause: error });
  }
}

function lifetimeSeconds(context: MigrationContext): number {
  const { bytesTotal, expectedSeconds, bandwidthMib } = inputOf(context);
  const slowest = Math.min(SLOWEST_BYTES_PER_SECOND, (bandwidthMib ?? Number.POSITIVE_INFINITY) * MIB);
  return Math.max(SHORTEST_SECONDS, 4 * (expectedSeconds ?? 0), (2 * bytesTotal) / slowest);
}

interface NewToken {
  readonly name: string;
  readonly expiresAt: Date;
  readonly grants: readonly Grant[];
}

async function record(context: MigrationContext, { name, expiresAt, grants }: NewToken): Promise<TokenName> {
  const { hostId } = inputOf(context).target;
  return whileHeld(context, async (client) => {
    const { rows } = await client.query<{ user: string }>(
      `insert into temporary_token (host_id, job_id, user_name, token_name, grants, expires_at)
       select id, $2, user_name, $3, $4, $5 from host where id = $1 returning user_name as "user"`,
      [hostId, context.job.id, name, JSON.stringify(grants), expiresAt],
    );
    const user = rows[0]?.user;
    if (user === undefined) throw new Error(`host ${hostId} is no longer connected`);
    return { user, name };
  });
}

/** The token of this job with its secret. @throws Error when there is none: its step comes first */
export async function tokenOf(context: MigrationContext): Promise<{ token: TokenName; secret: string }> {
  const { rows } = await context.services.pool.query<{ user: string; name: string; sealed: string }>(
    `select user_name as "user", token_name as name, secret_encrypted as sealed from temporary_token
     where job_id = $1 and removed_at is null and secret_encrypted is not null order by id desc limit 1`,
    [context.job.id],
  );
  const [row] = rows;
  if (row === undefined) throw new Error("the migration has no temporary token");
  const secret = context.services.secrets.open(row.sealed, TOKEN_SECRET);
  return { token: { user: row.user, name: row.name }, secret };
}
