// Follows a transfer to its end through outages of the host, and reports the progress that its log shows.
import { pauseUnlessAborted } from "../../src/concurrency/pause.js";
import { isCopiedAsItLies, transferProgress } from "../../src/core/migration/estimate.js";
import { DroverError } from "../../src/errors/errors.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import type { Upid } from "../../src/hypervisor/task.js";
import type { TransferEnd, TransferSight, TransferWatch } from "../../src/hypervisor/transfer.js";
import { isPlatformError, PlatformReason } from "../../src/hypervisor/platformError.js";
import * as migrations from "../../src/store/migration.js";
import { lost } from "../engine/journal.js";
import { inputOf, modeOf, type MigrationContext } from "./context.js";

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;
const MOST_LINES = 500;
/** So long a source may refuse to tell of its transfer: giving up before would take a guest back that is still on its way. */
const REFUSED_MS = 30 * 60_000;
/** So long one is waited for that does not answer, as for every task: a host that never comes back must not hold the guest for ever. */
const AWAY_MS = 6 * 3_600_000;

/** @returns how the task ended. @throws Fenced; the signal's reason when the worker stops; DroverError platform after a long silence or long refusals */
export async function followTransfer(context: MigrationContext, host: Hypervisor, upid: Upid): Promise<TransferEnd> {
  const watch = host.watchTransfer(upid, { volumes: volumesToCopy(context), total: inputOf(context).bytesTotal });
  let answeredAt = context.stopwatch.milliseconds();
  let notRefusedAt = answeredAt;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    context.signal.throwIfAborted();
    const seen = await lookAt(watch);
    const now = context.stopwatch.milliseconds();
    const isUnanswered = seen instanceof DroverError;
    if (!isUnanswered) answeredAt = now;
    if (!isUnanswered || isPlatformError(seen, PlatformReason.UNREACHABLE)) notRefusedAt = now;
    const isOver = now - notRefusedAt > REFUSED_MS || now - answeredAt > AWAY_MS;
    if (isUnanswered && isOver) throw seen;
    if (!isUnanswered && seen.hasGrown) await tell(context, seen);
    if (!isUnanswered && seen.end !== null) return seen.end;
    await pauseUnlessAborted(context, pauseMs);
  }
}

/** A live mirror reports its own progress, and counts nothing when it is announced. */
const volumesToCopy = (context: MigrationContext): ReadonlyMap<string, number> =>
  new Map(
    (context.facts.disks ?? [])
      .filter((disk) => isCopiedAsItLies(disk, modeOf(context)))
      .flatMap(({ volume, bytes }) => (bytes === null ? [] : [[volume, bytes]])),
  );

/** A host that does not answer says nothing about its task. @returns why it does not tell */
async function lookAt(watch: TransferWatch): Promise<TransferSight | DroverError> {
  try {
    return await watch.look();
  } catch (error) {
    if (error instanceof DroverError && error.kind === "platform") return error;
    throw error;
  }
}

async function tell(context: MigrationContext, { log, copied, receivedBy }: TransferSight): Promise<void> {
  const { job, services } = context;
  const { bytesTotal } = inputOf(context);
  const { id, leaseEpoch } = job;
  const shown = { bytesCopied: copied, log: log.slice(-MOST_LINES) };
  if (!(await migrations.setProgress(services.pool, { id, leaseEpoch, ...shown }))) throw lost(job);
  const progress = transferProgress(copied, bytesTotal);
  if (progress !== null) await context.progress(progress);
  await noteTunnel(context, receivedBy);
}

/** Which task receives the guest, the target is asked before anything follows from it. */
async function noteTunnel(context: MigrationContext, receivedBy: Upid | null): Promise<void> {
  if (context.facts.saidTunnel === undefined && receivedBy !== null) await context.remember({ saidTunnel: receivedBy });
}
