// A request on its way in, over whatever transport: who sends it, the slot in which it is worked on, and its row in the log.
import { onBehalfOf } from "../../concurrency/callerScope.js";
import type { Accepted, Access, Presented } from "../authenticate.js";
import type { RateState } from "../rateWindows.js";
import type { Viewer } from "../viewer.js";
import { callerOf, sourceCaller, type Caller } from "./caller.js";
import { refusalUnder, type Pressure } from "./load.js";
import type { RequestRecord } from "./requestRecord.js";
import type { RequestsPresent } from "./requestsPresent.js";
import type { SampledLog } from "./sampledLog.js";
import type { Slots } from "./slots.js";

/** What all requests share. */
export interface AdmissionDesk {
  readonly access: Access;
  readonly log: SampledLog;
  readonly pressure: Pressure;
  readonly present: RequestsPresent;
  readonly slots: Slots;
}

export class Call {
  readonly record: RequestRecord;
  /** Whose share of the service it takes: its source, until it is authenticated. */
  caller: Caller;
  /** How the rate limit of its token stands; null: none, or not known yet. */
  rate: RateState | null = null;
  readonly #desk: AdmissionDesk;
  #isLogged = false;

  constructor(desk: AdmissionDesk, record: RequestRecord) {
    this.#desk = desk;
    this.record = record;
    this.caller = sourceCaller(record.sourceIp);
  }

  /** @throws DroverError the refusal while the process is overloaded */
  refuseUnderPressure(): void {
    const refusal = refusalUnder(this.#desk.pressure);
    if (refusal !== null) throw refusal;
  }

  /**
   * @returns who sends it
   * @throws DroverError `unauthenticated`, `forbidden`, `rateLimited`; Error of the driver
   */
  async authenticate(presented: Presented, accepted: readonly Accepted[]): Promise<Viewer> {
    const { sourceIp } = this.record;
    const check = () => this.#desk.access.authenticate({ ...presented, sourceIp }, accepted);
    // Unknown tokens cost their source the look-up, and nobody else.
    const admission = await onBehalfOf(sourceCaller(sourceIp), check);
    this.record.token = admission.token;
    this.rate = admission.rate;
    if (!admission.admitted) throw admission.refusal;
    this.isOf(admission.viewer);
    return admission.viewer;
  }

  /** Sets who sends it, as is known without a look at its token. */
  isOf(viewer: Viewer): void {
    this.caller = callerOf(viewer, this.record.sourceIp);
    this.record.token = viewer.kind === "token" ? { id: viewer.tokenId, name: viewer.name } : null;
  }

  /** Counts it as present. @returns what ends that, to be called once */
  enter(): () => void {
    return this.#desk.present.enter();
  }

  /** Waits for a slot, with the request complete. @returns what gives it back, to be called once. @throws DroverError when too many wait */
  takeSlot(): Promise<() => void> {
    return this.#desk.slots.take(this.caller);
  }

  /** Runs work, and everything that it begins, as the caller's: database connections are charged to the caller. */
  charge<Result>(work: () => Result): Result {
    return onBehalfOf(this.caller, work);
  }

  /** Works on the request in a slot, charged to its caller. @throws DroverError when too many wait for one, and what `work` throws */
  async inSlot<Result>(work: () => Promise<Result>): Promise<Result> {
    const giveBack = await this.takeSlot();
    try {
      return await this.charge(work);
    } finally {
      giveBack();
    }
  }

  /** Logs it soon, unless it is logged already. */
  logSoon(status: number): void {
    if (this.#isLogged) return;
    this.#isLogged = true;
    this.#desk.log.record(this.caller, this.record.row(status));
  }

  /** Logs it now: resolves when its row is written, unless the service was unavailable and did nothing. */
  async logNow(status: number): Promise<void> {
    if (this.#isLogged) return;
    this.#isLogged = true;
    await this.#desk.log.recordAnswer(this.caller, this.record.row(status));
  }
}
