// Connects, changes, tests and removes hosts, and switches their maintenance mode.
import { isDeepStrictEqual } from "node:util";
import type { PoolClient } from "pg";
import { HOST_SECRET } from "../../access/secretPurpose.js";
import type { Context } from "../../context/context.js";
import { inTransaction } from "../../db/transaction.js";
import { DroverError, messageForOperators, notFound, validationError } from "../../errors/errors.js";
import type { HostConnection } from "../../hypervisor/connection.js";
import type { HostVersion } from "../../hypervisor/observed.js";
import { ConnectedTwice, otherHostOf, readMachines, type Machines } from "../../inventory/machines.js";
import { syncHost } from "../../inventory/syncHost.js";
import * as knownHosts from "../../store/host/known.js";
import * as hosts from "../../store/host/record.js";
import * as hostSync from "../../store/hostSync.js";
import * as tokenRefusals from "../../store/tokenRefusal.js";
import { hostInactive, hostSecretBinding, readHostRecord, type HostRecord, type StoredHost } from "./hostConnection.js";
import { changedHostRecord, newHostRecord, type HostChange, type HostInput } from "./hostInput.js";
import { brokenUnique } from "../../db/unique.js";

/**
 * Adds a host after it has answered with these credentials, and syncs it at once; what then fails is in `lastSyncError`.
 * @returns its id
 * @throws DroverError validation (every field named), conflict `HOST_EXISTS` (its name, its address, or one of its machines is connected
 *   already), platform (it does not answer, or refuses)
 */
export async function addHost(context: Context, input: HostInput): Promise<number> {
  const checked = newHostRecord(input);
  if (!checked.ok) throw validationError(checked.problems);
  const { machines } = await testConnection(context, checked.value.connection);
  await refuseKnown(context, null, machines);
  const hostId = await insertHost(context, checked.value);
  try {
    await syncHost(context, hostId, { thorough: true });
  } catch (error) {
    if (!(error instanceof DroverError)) throw error;
    if (error instanceof ConnectedTwice) throw await withdrawn(context, hostId, error);
    context.log.warn({ err: error, hostId }, "a new host could not be synced");
  }
  return hostId;
}

/** Another member of the same cluster was added at the same time. @returns why */
async function withdrawn({ pool, hypervisors }: Context, hostId: number, why: ConnectedTwice): Promise<ConnectedTwice> {
  await inTransaction(pool, async (client) => {
    if (await hosts.lock(client, hostId)) await hostSync.remove(client, hostId);
  });
  await hypervisors.forget(hostId);
  return why;
}

/** @param hostId the host that has changed; null: a new one. @throws ConnectedTwice */
async function refuseKnown({ pool }: Context, hostId: number | null, machines: Machines): Promise<void> {
  const other = await otherHostOf(pool, hostId, machines);
  if (other !== null) throw new ConnectedTwice(other);
}

/**
 * Changes a host; a connection that is changed or switched on is tested first. Another machine needs the secret anew: another
 * hostname or port without the pinned certificate that is known, or another certificate that is not tried. So does a host whose
 * secret was sealed with another key.
 * @throws as `addHost`, and notFound, conflict `HOST_BUSY` for one that is to be switched off while guests are being moved from or to it
 */
export async function updateHost(context: Context, hostId: number, change: HostChange): Promise<void> {
  const stored = await readHostRecord(context, hostId);
  if (stored === null) throw notFound(`Host ${hostId}`);
  const checked = changedHostRecord(stored, change);
  if (!checked.ok) throw validationError(checked.problems);
  const { active, connection } = checked.value;
  const isReconnected = active && !(stored.active && isDeepStrictEqual(stored.connection, connection));
  if (isReconnected) await refuseKnown(context, hostId, (await testConnection(context, connection)).machines);
  await writeHost(context, hostId, { before: stored, after: checked.value, isReconnected });
  await context.hypervisors.forget(hostId);
}

/** @throws DroverError notFound */
async function lockHost(client: PoolClient, hostId: number): Promise<void> {
  if (!(await hosts.lock(client, hostId))) throw notFound(`Host ${hostId}`);
}

/** The refusal for a host that work needs. */
const hostBusy = (work: string): DroverError => new DroverError("conflict", work, { reason: "HOST_BUSY" });

/** Removes a host with everything known of it; the platform itself is left as it is. @throws DroverError notFound, conflict `HOST_BUSY` */
export async function removeHost(context: Context, hostId: number): Promise<void> {
  await inTransaction(context.pool, async (client) => {
    await lockHost(client, hostId);
    if (await knownHosts.isAtWork(client, hostId)) throw hostBusy("jobs are at work on this host");
    await hostSync.remove(client, hostId);
  });
  await context.hypervisors.forget(hostId);
}

/**
 * Syncs a host at once and returns when that is done. Who asks for it may have just brought the host back: it is asked anew,
 * even if it was dead a moment ago, and what it has refused to moves is forgotten.
 * @throws DroverError notFound, conflict `HOST_INACTIVE`, platform
 */
export async function syncHostNow(context: Context, hostId: number): Promise<void> {
  const host = await knownHosts.activity(context.pool, hostId);
  if (host === null) throw notFound(`Host ${hostId}`);
  if (!host.active) throw hostInactive(host.name);
  await tokenRefusals.forget(context.pool, hostId);
  await context.hypervisors.forget(hostId);
  await syncHost(context, hostId, { thorough: true }).catch((error: unknown) => {
    throw forOperators(error);
  });
}

/** Maintenance keeps new guests off the host; those that are there go on. @throws DroverError notFound */
export async function setMaintenance(context: Context, hostId: number, on: boolean): Promise<void> {
  const at = context.clock.now();
  if (!(await hosts.setMaintenance(context.pool, hostId, { on, at }))) throw notFound(`Host ${hostId}`);
}

/** What a host says of itself. */
interface Tested {
  readonly version: HostVersion;
  readonly machines: Machines;
}

/** Asks a host for its version and its machines with these credentials. @throws DroverError platform, with what operators may know */
export async function testConnection(
  { hypervisors }: Pick<Context, "hypervisors">,
  connection: HostConnection,
): Promise<Tested> {
  const hypervisor = hypervisors.connect(connection);
  try {
    const version = await hypervisor.version();
    // Any ticket may read the version; only the rights prove that the identity is known.
    await hypervisor.sight();
    return { version, machines: await readMachines(hypervisor).catch(unknownMachines) };
  } catch (error) {
    throw forOperators(error);
  } finally {
    await hypervisor.close();
  }
}

/** Its sync asks for them again, and says why they are not told. */
function unknownMachines(error: unknown): Machines {
  if (error instanceof DroverError) return { clusterName: null, members: [] };
  throw error;
}

/** Whoever connects hosts may read all that is known of why one does not answer. */
function forOperators(error: unknown): unknown {
  if (!(error instanceof DroverError) || error.detail === undefined) return error;
  const { kind, reason, cause } = error;
  return new DroverError(kind, messageForOperators(error), { ...(reason !== undefined && { reason }), cause });
}

const insertHost = (context: Context, { connection, ...record }: HostRecord): Promise<number> =>
  orExists(hosts.insert(context.pool, { ...record, connection: sealed(context, connection) }));

interface Rewriting {
  readonly before: StoredHost;
  readonly after: HostRecord;
  readonly isReconnected: boolean;
}

/** Writes what differs, so that two changes at once do not undo each other. */
async function writeHost(context: Context, hostId: number, { before, after, isReconnected }: Rewriting): Promise<void> {
  const isNewConnection = !isDeepStrictEqual(before.connection, after.connection);
  const changed = {
    name: ifChanged(before.name, after.name),
    active: ifChanged(before.active, after.active),
    allowUnrestrictedMoveToken: ifChanged(before.allowUnrestrictedMoveToken, after.allowUnrestrictedMoveToken),
    connection: isNewConnection ? sealed(context, after.connection) : undefined,
    isDue: isReconnected,
  };
  await inTransaction(context.pool, async (client) => {
    if (changed.active === false) {
      await lockHost(client, hostId);
      // A move that is cut off after its transfer leaves an original that starts with its node, beside the moved guest.
      if (await knownHosts.isMovingGuests(client, hostId))
        throw hostBusy("guests are being moved from or to this host");
    }
    if (!(await orExists(hosts.change(client, hostId, changed)))) throw notFound(`Host ${hostId}`);
    // What it refused was asked for with other credentials, or would now be asked for in another way.
    if (isReconnected || isNewConnection || changed.allowUnrestrictedMoveToken !== undefined)
      await tokenRefusals.forget(client, hostId);
  });
}

const ifChanged = <Value>(before: Value, after: Value): Value | undefined => (before === after ? undefined : after);

function sealed({ secrets }: Context, { credential, ...connection }: HostConnection) {
  const { hostname, port, user, tlsFingerprint = null } = connection;
  const [tokenId, secret] =
    credential.kind === "token" ? [credential.tokenId, credential.secret] : [null, credential.password];
  const place = { hostname, port, user, tlsFingerprint, tokenId };
  return { ...place, secret: secrets.seal(secret, HOST_SECRET, hostSecretBinding(place)) };
}

async function orExists<Result>(written: Promise<Result>): Promise<Result> {
  try {
    return await written;
  } catch (error) {
    if (brokenUnique(error) === null) throw error;
    const message = "a host of this name, or at this address and port, is connected already";
    throw new DroverError("conflict", message, { reason: "HOST_EXISTS", cause: error });
  }
}
