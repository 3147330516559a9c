// Writes the request log: one row for every API request, in batches that never hold a request up for long.
import type { Pool } from "pg";
import { httpStatusOf } from "../errors/errors.js";
import type { Logger } from "../observability/log.js";
import { requestLogLost, requestLogWaiting } from "../observability/metrics.js";
import { pause } from "../concurrency/pause.js";
import { waitAtMost } from "../concurrency/waitAtMost.js";
import { isDatabaseTrouble } from "../db/databaseTrouble.js";
import * as requestLog from "../store/requestLog.js";
import { ensureRequestLogPartition } from "../store/requestLogPartition.js";

/** One API request and how it was answered. */
export interface LoggedRequest {
  readonly at: Date;
  /** Null: no API token, or none that is known. */
  readonly tokenId: number | null;
  readonly tokenName: string | null;
  readonly sourceIp: string;
  readonly method: string;
  /** Without the query string, which may contain secrets. */
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
}

/** Longest wait of a row in the buffer, in milliseconds; rows are to be readable 250 ms after their answer. */
const LONGEST_WAIT_MS = 150;
const RETRY_AFTER_MS = 1000;
/** The longest that an answer waits for its row; the row is written all the same, as soon as the database takes it. */
const LONGEST_HOLD_MS = 10_000;
const DAY_MS = 86_400_000;
const ROWS_A_STATEMENT = 2_000;
/** While the database is slow or away, the oldest rows beyond this number are dropped. */
const MOST_BUFFERED = 20_000;

const LONGEST_PATH = 2_000;
/** A token that somebody put into a path by mistake. */
const TOKEN_IN_PATH = /dr[vsa]_[A-Za-z0-9_-]{20,}/g;

interface RequestLogParts {
  readonly pool: Pool;
  readonly log: Logger;
}

export class RequestLog {
  readonly #parts: RequestLogParts;
  readonly #closing = new AbortController();
  #waiting: LoggedRequest[] = [];
  /** Rows dropped since this was last logged. */
  #lost = 0;
  /** In days since 1970. */
  #partitionsThrough = 0;
  #timer: Promise<void> | null = null;
  /** The write in progress, and the one that starts after it, which later callers share. */
  #current: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(parts: RequestLogParts) {
    this.#parts = parts;
  }

  /** Logs a request soon: its row is written within 250 ms, as long as the database answers. */
  record(request: LoggedRequest): void {
    this.#keep(request);
    this.#timer ??= this.#flushAfter(LONGEST_WAIT_MS);
  }

  /**
   * Logs a request now: resolves when its row is written, or, if the database cannot take it at present, after ten seconds at
   * the latest.
   */
  async recordNow(request: LoggedRequest): Promise<void> {
    this.#keep(request);
    await waitAtMost(LONGEST_HOLD_MS, this.flush());
  }

  /** Logs a request that may have changed something: now, unless the service was unavailable and did nothing. */
  async recordAnswer(request: LoggedRequest): Promise<void> {
    if (request.status === httpStatusOf.unavailable) this.record(request);
    else await this.recordNow(request);
  }

  /** Writes everything that was recorded before this call; calls made during a write share the next one. */
  flush(): Promise<void> {
    // Between the end of one write and the start of the next, a third must not start.
    if (this.#next !== null) return this.#next;
    if (this.#current === null) return this.#start();
    this.#next = this.#current.then(() => {
      this.#next = null;
      return this.#start();
    });
    return this.#next;
  }

  /** Creates the partitions that these rows need; also for callers that insert rows with a statement of their own. */
  async makeRoom(rows: readonly Pick<LoggedRequest, "at">[]): Promise<void> {
    const days = [...new Set(rows.map(({ at }) => Math.floor(at.getTime() / DAY_MS)))].toSorted(
      (left, right) => left - right,
    );
    for (const day of days) {
      if (day <= this.#partitionsThrough) continue;
      await ensureRequestLogPartition(this.#parts.pool, new Date(day * DAY_MS).toISOString().slice(0, 10));
      this.#partitionsThrough = day;
    }
  }

  /** Writes the rest. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#timer;
    await this.flush();
    if (this.#waiting.length > 0) this.#giveUp(this.#waiting.length);
    this.#reportLost();
  }

  #keep(request: LoggedRequest): void {
    this.#waiting.push(request);
    this.#bound();
  }

  #bound(): void {
    if (this.#waiting.length > MOST_BUFFERED) this.#giveUp(this.#waiting.length - MOST_BUFFERED);
    requestLogWaiting.set(this.#waiting.length);
  }

  #giveUp(rows: number): void {
    this.#lost += this.#waiting.splice(0, rows).length;
    requestLogLost.inc(rows);
  }

  #start(): Promise<void> {
    this.#current = this.#writeAll().finally(() => {
      this.#current = null;
    });
    return this.#current;
  }

  async #flushAfter(milliseconds: number): Promise<void> {
    const { signal } = this.#closing;
    await pause(milliseconds, signal, { ref: false });
    this.#timer = null;
    await this.flush();
  }

  /** Writes the rows that wait when it starts; rows recorded meanwhile wait for the next write. */
  async #writeAll(): Promise<void> {
    for (let left = this.#waiting.length; left > 0; left -= ROWS_A_STATEMENT) {
      const rows = this.#waiting.splice(0, Math.min(left, ROWS_A_STATEMENT));
      try {
        await this.makeRoom(rows);
        await requestLog.insert(this.#parts.pool, rows.map(keptOf));
      } catch (error) {
        this.#handleFailure(rows, error);
        return;
      }
    }
    requestLogWaiting.set(this.#waiting.length);
    this.#reportLost();
  }

  #handleFailure(rows: LoggedRequest[], error: unknown): void {
    if (!isDatabaseTrouble(error)) {
      requestLogLost.inc(rows.length);
      this.#parts.log.error({ err: error, rows: rows.length }, "rows of the request log were refused and are lost");
      return;
    }
    this.#waiting = [...rows, ...this.#waiting];
    this.#bound();
    this.#reportLost();
    this.#parts.log.warn({ err: error, rows: this.#waiting.length }, "the request log waits for the database");
    if (!this.#closing.signal.aborted) this.#timer ??= this.#flushAfter(RETRY_AFTER_MS);
  }

  #reportLost(): void {
    if (this.#lost > 0)
      this.#parts.log.error({ rows: this.#lost }, "the request log was full; its oldest rows are lost");
    this.#lost = 0;
  }
}

/** What the log keeps of a request. */
const keptOf = (request: LoggedRequest): LoggedRequest => ({
  ...request,
  path: request.path.replace(TOKEN_IN_PATH, "[token]").slice(0, LONGEST_PATH),
});
