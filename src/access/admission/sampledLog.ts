// The request log for callers that could fill it: rows of callers that are not known, and refusals for load, are sampled and counted.
import type { Clock } from "../../concurrency/clock.js";
import type { Logger } from "../../observability/log.js";
import { requestsUnlogged } from "../../observability/metrics.js";
import type { LoggedRequest, RequestLog } from "../requestLog.js";
import type { Caller } from "./caller.js";
import { isForLoad } from "./load.js";

/** Sampled rows that are written in a minute, of one caller and in all. */
const ROWS_OF_CALLER = 30;
const ROWS_IN_ALL = 600;
const MINUTE_MS = 60_000;
/** Callers that are named when requests were not logged. */
const NAMED = 10;

interface SampledLogParts {
  readonly requestLog: Pick<RequestLog, "record" | "recordAnswer">;
  readonly clock: Clock;
  readonly log: Logger;
}

export class SampledLog {
  readonly #parts: SampledLogParts;
  #minute = 0;
  #rows = 0;
  /** Sampled requests of this minute by caller, written or not. */
  #requests = new Map<string, number>();
  #unlogged = 0;

  constructor(parts: SampledLogParts) {
    this.#parts = parts;
  }

  /** Logs a request soon, unless it is one too many of its caller. */
  record(caller: Caller, row: LoggedRequest): void {
    if (this.#isToBeWritten(caller, row)) this.#parts.requestLog.record(row);
  }

  /** Logs a request that may have changed something now, unless it is one too many of its caller. */
  async recordAnswer(caller: Caller, row: LoggedRequest): Promise<void> {
    if (this.#isToBeWritten(caller, row)) await this.#parts.requestLog.recordAnswer(row);
  }

  #isToBeWritten({ key, isKnown }: Caller, { status }: LoggedRequest): boolean {
    if (isKnown && !isForLoad(status)) return true;
    this.#beginMinute();
    const ofCaller = (this.#requests.get(key) ?? 0) + 1;
    const isWritten = this.#rows < ROWS_IN_ALL && ofCaller <= ROWS_OF_CALLER;
    // Once no more rows are written, further callers are not distinguished: the number of tracked callers is bounded.
    if (this.#requests.has(key) || this.#rows < ROWS_IN_ALL) this.#requests.set(key, ofCaller);
    if (isWritten) this.#rows++;
    else this.#countUnlogged();
    return isWritten;
  }

  #countUnlogged(): void {
    this.#unlogged++;
    requestsUnlogged.inc();
  }

  #beginMinute(): void {
    const minute = Math.floor(this.#parts.clock.now().getTime() / MINUTE_MS);
    if (minute === this.#minute) return;
    if (this.#unlogged > 0) this.#report();
    this.#minute = minute;
    this.#rows = 0;
    this.#unlogged = 0;
    this.#requests = new Map();
  }

  #report(): void {
    const most = [...this.#requests].toSorted(([, left], [, right]) => right - left).slice(0, NAMED);
    const requests = Object.fromEntries(most);
    this.#parts.log.warn({ unlogged: this.#unlogged, requests }, "requests were counted, but not logged one by one");
  }
}
