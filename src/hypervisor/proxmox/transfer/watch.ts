// Watches a transfer to another host by the state of its task and the lines of its log.
import { isPlatformError, PlatformReason } from "../../platformError.js";
import type { Upid } from "../../task.js";
import type { TransferEnd, TransferQuestion, TransferSight, TransferWatch } from "../../transfer.js";
import type { Ask } from "../client.js";
import { reasonOfText } from "../errors.js";
import { readTaskLog } from "../taskLog.js";
import { readTaskState } from "../tasks.js";
import { isSuccess } from "../taskWork.js";
import { copiedBytes, EMPTY_LOG, failureReason, growLog, isFigure, readLines } from "./log.js";

const TUNNEL = /started tunnel worker '(UPID:[^']+)'/;
const FORGOTTEN = "the platform no longer knows the transfer";

export function watchTransfer(ask: Ask, upid: Upid, { volumes, total }: TransferQuestion): TransferWatch {
  let lines: readonly string[] = [];
  let figures = EMPTY_LOG;
  let most: number | null = null;
  return {
    async look() {
      const seen = await lookAt(ask, upid, Math.max(0, lines.length - 1));
      const log = growLog(lines, seen.lines);
      lines = log.lines;
      figures = readLines(figures, log.fresh, volumes);
      // The file of a small volume is larger than what the volume counts once it is whole.
      most = larger(most, copiedBytes(figures, total));
      return sightOf(lines, { hasGrown: log.fresh.length > 0, copied: most, exitStatus: seen.ended });
    },
  };
}

const larger = (before: number | null, now: number | null): number | null =>
  before === null || now === null ? (now ?? before) : Math.max(before, now);

interface Look {
  readonly lines: readonly string[];
  /** How it ended; null: that is forgotten. Undefined while it runs. */
  readonly ended?: string | null;
}

async function lookAt(ask: Ask, upid: Upid, from: number): Promise<Look> {
  try {
    const { running, exitStatus } = await readTaskState(ask, upid);
    const lines = await readLog(ask, upid, from);
    return running ? { lines } : { lines, ended: exitStatus };
  } catch (error) {
    if (!isPlatformError(error, PlatformReason.NOT_FOUND)) throw error;
    return { lines: [], ended: null };
  }
}

/** A transfer is followed without its log too: its state has the outcome. */
async function readLog(ask: Ask, upid: Upid, from: number): Promise<readonly string[]> {
  try {
    return await readTaskLog(ask, upid, from);
  } catch (error) {
    if (!isPlatformError(error, PlatformReason.REFUSED, PlatformReason.FORBIDDEN, PlatformReason.NOT_FOUND))
      throw error;
    return [];
  }
}

interface TransferReading extends Pick<TransferSight, "hasGrown" | "copied"> {
  readonly exitStatus: string | null | undefined;
}

const sightOf = (lines: readonly string[], { hasGrown, copied, exitStatus }: TransferReading): TransferSight => ({
  log: lines.filter((line) => !isFigure(line)),
  hasGrown,
  copied,
  receivedBy: lines.flatMap((line) => TUNNEL.exec(line)?.[1] ?? [])[0] ?? null,
  end: exitStatus === undefined ? null : endOf(lines, exitStatus),
});

const endOf = (lines: readonly string[], exitStatus: string | null): TransferEnd => ({
  succeeded: isSuccess(exitStatus),
  isKnown: exitStatus !== null,
  reason: failureReason(lines) ?? exitStatus ?? FORGOTTEN,
  // Not by the log: a lock that is busy in the midst of a transfer ends it too.
  failure: exitStatus === null || isSuccess(exitStatus) ? null : reasonOfText(exitStatus),
});
