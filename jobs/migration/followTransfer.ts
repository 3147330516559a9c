// Follows a transfer to its end through outages of the host, and reports the progress that its log shows.
import { setTimeout as delay } from "node:timers/promises";
import {
  copiedBytes,
  EMPTY_LOG,
  growLog,
  isFigure,
  readLines,
  transferProgress,
  type TransferLog,
} from "../../src/core/migration/transferLog.js";
import { isCopiedAsItLies } from "../../src/core/migration/estimate.js";
import { DroverError } from "../../src/errors/errors.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import type { Upid } from "../../src/hypervisor/task.js";
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

/** How a transfer ended. */
export interface TransferEnd {
  /** Null: the host no longer knows the task. */
  readonly exitStatus: string | null;
  readonly lines: readonly string[];
}

const TUNNEL = /started tunnel worker '(UPID:[^']+)'/;

/** @returns how the task ended. @throws Fenced; the signal's reason when the worker stops; DroverError platform after a long silence or long refusals */
export async function followTransfer(context: MigrationContext, host: Hypervisor, upid: Upid): Promise<TransferEnd> {
  let lines: readonly string[] = [];
  const sizes = sizesToCopy(context);
  let figures = EMPTY_LOG;
  let toldAt = performance.now();
  let notRefusedAt = toldAt;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    context.signal.throwIfAborted();
    const look = await lookAt(host, upid, Math.max(0, lines.length - 1));
    const now = performance.now();
    if (look.untold === undefined) toldAt = now;
    if (look.untold === undefined || look.isAway === true) notRefusedAt = now;
    const isOver = now - notRefusedAt > REFUSED_MS || now - toldAt > AWAY_MS;
    if (look.untold !== undefined && isOver) throw look.untold;
    const log = growLog(lines, look.lines);
    lines = log.lines;
    figures = readLines(figures, log.fresh, sizes);
    if (log.fresh.length > 0) await tell(context, lines, figures);
    if (look.ended !== undefined) return { exitStatus: look.ended, lines };
    await delay(pauseMs, undefined, { signal: context.signal });
  }
}

/** What is mirrored while the machine runs tells its progress itself, and counts nothing when it is announced. */
const sizesToCopy = (context: MigrationContext): ReadonlyMap<string, number> =>
  new Map(
    (context.facts.disks ?? [])
      .filter((disk) => isCopiedAsItLies(disk, modeOf(context)))
      .flatMap(({ volume, bytes }) => (bytes === null ? [] : [[volume, bytes]])),
  );

interface Look {
  readonly lines: readonly string[];
  /** How it ended; undefined while it runs. */
  readonly ended?: string | null;
  /** Why the host does not tell. */
  readonly untold?: DroverError;
  /** It does not tell because it does not answer at all. */
  readonly isAway?: boolean;
}

/** A host that does not answer says nothing about its task. The state comes first: the log is then complete. */
async function lookAt(host: Hypervisor, upid: Upid, from: number): Promise<Look> {
  try {
    const { running, exitStatus } = await host.task(upid);
    const lines = await readLog(host, upid, from);
    return running ? { lines } : { lines, ended: exitStatus };
  } catch (error) {
    if (isPlatformError(error, PlatformReason.NOT_FOUND)) return { lines: [], ended: null };
    if (!(error instanceof DroverError) || error.kind !== "platform") throw error;
    return { lines: [], untold: error, isAway: isPlatformError(error, PlatformReason.UNREACHABLE) };
  }
}

/** Without its log a transfer is followed all the same: how it ended, its state tells. */
async function readLog(host: Hypervisor, upid: Upid, from: number): Promise<readonly string[]> {
  try {
    return await host.taskLog(upid, from);
  } catch (error) {
    if (!isPlatformError(error, PlatformReason.REFUSED, PlatformReason.FORBIDDEN, PlatformReason.NOT_FOUND))
      throw error;
    return [];
  }
}

async function tell(context: MigrationContext, lines: readonly string[], figures: TransferLog): Promise<void> {
  const { job, services } = context;
  const { bytesTotal } = inputOf(context);
  const copied = copiedBytes(figures, bytesTotal);
  const shown = lines.filter((line) => !isFigure(line)).slice(-MOST_LINES);
  const { id, leaseEpoch } = job;
  if (!(await migrations.setProgress(services.pool, { id, leaseEpoch, bytesCopied: copied, log: shown })))
    throw lost(job);
  const progress = transferProgress(copied, bytesTotal);
  if (progress !== null) await context.progress(progress);
  await noteTunnel(context, lines);
}

/** Which task receives the guest, the target is asked before anything follows from it. */
async function noteTunnel(context: MigrationContext, lines: readonly string[]): Promise<void> {
  if (context.facts.saidTunnel !== undefined) return;
  const [saidTunnel] = lines.flatMap((line) => TUNNEL.exec(line)?.[1] ?? []);
  if (saidTunnel !== undefined) await context.remember({ saidTunnel });
}
