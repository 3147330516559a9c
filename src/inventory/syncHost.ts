// Brings the inventory of one host up to date: observe, compare, write what changed in one transaction.
import { databaseTrouble, refusalFor } from "../db/databaseTrouble.js";
import { isPlatformError, PlatformReason } from "../hypervisor/platformError.js";
import type { Services } from "../context/context.js";
import { inTransaction } from "../db/transaction.js";
import { messageForOperators } from "../errors/errors.js";
import * as hostSync from "../store/hostSync.js";
import { CLOCKS_APART_MS, find, type Sync } from "./findings.js";
import { ConnectedTwice } from "./machines.js";
import { writeFindings } from "./writeFindings.js";

/** Nodes of a host that was silent for so many intervals, at least this long, are of unknown state. */
const SILENT_INTERVALS = 3;
const LEAST_SILENCE_SECONDS = 15;

export interface SyncOptions {
  /** Asks for everything, also what is not due yet. */
  readonly thorough?: boolean;
}

/**
 * @throws DroverError platform, conflict (host switched off; `HOST_EXISTS` when its machines are another host's); the failure is on
 *   record then (`lastSyncError`). Errors of a database that cannot serve
 */
export async function syncHost(services: Services, hostId: number, options: SyncOptions = {}): Promise<void> {
  const sync = { hostId, now: services.clock.now(), thorough: options.thorough ?? false };
  try {
    const findings = await find(services, sync);
    const guests = await inTransaction(services.pool, (client) =>
      writeFindings(client, findings, services.clock.now()),
    );
    services.rememberedGuests.remember(hostId, guests);
  } catch (error) {
    if (concernsHost(error)) await recordFailure(services, sync, error);
    throw error;
  }
}

/** A database that was away says nothing about the host, whose turn comes again; one for which the host has too much to write does. */
function concernsHost(error: unknown): boolean {
  const trouble = databaseTrouble(error);
  return trouble === null || trouble === "tooLong";
}

/**
 * Seconds after which the nodes are of unknown state. After a requested sync that found the host unreachable, its nodes are not shown
 * as online; nor are those that are another host's, where they would be placed on twice.
 */
function toleratedSilence({ thorough }: Sync, error: unknown, syncSeconds: number): number {
  if (error instanceof ConnectedTwice) return 0;
  if (thorough && isPlatformError(error, PlatformReason.UNREACHABLE)) return 0;
  return Math.max(LEAST_SILENCE_SECONDS, SILENT_INTERVALS * syncSeconds);
}

/** A sync that began later has newer results: then this failure is outdated. */
async function recordFailure({ pool, config, log }: Services, sync: Sync, error: unknown): Promise<void> {
  const { hostId, now } = sync;
  const refused = refusalFor(error);
  const message = refused === null ? "internal error" : messageForOperators(refused);
  const silence = toleratedSilence(sync, error, config.syncSeconds);
  const sameAsHostId = error instanceof ConnectedTwice ? error.otherId : null;
  const failed = { hostId, at: now, error: message, sameAsHostId };
  const failure = { ...failed, toleratedSeconds: silence, clocksApartMs: CLOCKS_APART_MS };
  const recorded = hostSync.fail(pool, failure);
  await recorded.catch((reason: unknown) => log.warn({ err: reason, hostId }, "a failed sync could not be recorded"));
}
