// Does the same work once for all who want it at the same time; nobody gets a result that was begun before he asked.
import { Departure } from "./db/departure.js";
import { waitAtMost } from "./waitAtMost.js";

/**
 * Does the work.
 * @param allLeft tells that nobody waits for the result any more; null: somebody waits who never leaves
 */
type Work<Result> = (allLeft: Departure | null) => Promise<Result>;

export class SharedWork<Result> {
  readonly #longestWaitMs: number | null;
  readonly #gathering = new Map<string, Company<Result>>();
  readonly #underWay = new Map<string, Promise<void>>();

  /**
   * @param longestWaitMs who finds the same work under way waits for its end, so that others can join him, but no longer than this;
   *   null: to its end
   */
  constructor(longestWaitMs: number | null = null) {
    this.#longestWaitMs = longestWaitMs;
  }

  /**
   * The work begins after the call, so that it sees whatever the caller has written or heard of.
   * @param key of works with the same key any may be done for all
   * @param departure of who asks; work that all have left is given up
   * @throws what the work throws; the departure's reason, once this caller has left
   */
  join(key: string, work: Work<Result>, departure?: Departure): Promise<Result> {
    return (this.#gathering.get(key) ?? this.#gather(key, work)).join(departure);
  }

  #gather(key: string, work: Work<Result>): Company<Result> {
    const company: Company<Result> = new Company(() => this.#leaveGathering(key, company));
    this.#gathering.set(key, company);
    company.follow(this.#begin(key, work, company));
    return company;
  }

  /** Begins after everything that is happening now, and after the same work that may have looked too early. */
  async #begin(key: string, work: Work<Result>, company: Company<Result>): Promise<Result> {
    await nextTurn();
    await this.#untilEnded(this.#underWay.get(key));
    this.#leaveGathering(key, company);
    company.refuseDeserted();
    const result = work(company.mayBeDeserted ? company.departure : null);
    const forget = (): void => {
      if (this.#underWay.get(key) === ended) this.#underWay.delete(key);
    };
    const ended = result.then(forget, forget);
    this.#underWay.set(key, ended);
    return result;
  }

  async #untilEnded(underWay: Promise<void> | undefined): Promise<void> {
    if (underWay === undefined) return;
    await (this.#longestWaitMs === null ? underWay : waitAtMost(this.#longestWaitMs, underWay));
  }

  #leaveGathering(key: string, company: Company<Result>): void {
    if (this.#gathering.get(key) === company) this.#gathering.delete(key);
  }
}

/** Those who wait for one result. */
class Company<Result> {
  /** All have left. */
  readonly departure = new Departure();
  readonly #result = Promise.withResolvers<Result>();
  readonly #deserted: () => void;
  #waiting = 0;
  #mayBeDeserted = true;

  constructor(deserted: () => void) {
    this.#deserted = deserted;
  }

  /** False: somebody waits who never leaves. */
  get mayBeDeserted(): boolean {
    return this.#mayBeDeserted;
  }

  /** @throws the reason of the last who left, if all have */
  refuseDeserted(): void {
    if (this.departure.reason !== null) throw this.departure.reason;
  }

  follow(result: Promise<Result>): void {
    this.#result.resolve(result);
  }

  join(departure: Departure | undefined): Promise<Result> {
    this.#waiting++;
    if (departure === undefined) {
      this.#mayBeDeserted = false;
      return this.#result.promise;
    }
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const leave = (): void => {
      reject(departure.reason);
      this.#leave(departure);
    };
    if (departure.reason !== null) leave();
    else departure.on(leave);
    const end = (): void => departure.off(leave);
    this.#result.promise.then(resolve, reject).then(end, end);
    return promise;
  }

  #leave({ reason }: Departure): void {
    if (--this.#waiting > 0 || reason === null) return;
    this.#deserted();
    this.departure.leave(reason);
  }
}

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });
