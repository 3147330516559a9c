// One client's stream of a shared subscription. graphql-ws takes the next result when the client has been sent the last one.
import type { ExecutionResult } from "graphql";
import type { LiveEvent } from "../../src/events/liveSource.js";

/** Records whose results wait for one client; a client with more is too slow. */
export const MOST_WAITING = 10_000;

/** The subscription that a subscriber shares. */
export interface Shared {
  /** Nothing waits for one of its clients any more. */
  caughtUp(): void;
  leave(subscriber: Subscriber): void;
}

/** The connection of a client. */
export interface Outlet {
  /** Ends the connection: more waits than is kept for one client. */
  cutForSlowness(): void;
}

/** Why a subscription ended. */
export interface End {
  /** Absent: the followed record has ended, or the client has left. */
  readonly fault?: Error;
}

type Step = IteratorResult<ExecutionResult, void>;

/** While its client reads slowly, one result of each record waits: the latest. */
export class Subscriber implements AsyncIterableIterator<ExecutionResult, void> {
  readonly #shared: Shared;
  readonly #outlet: Outlet;
  /** By record, in the order in which they changed. */
  readonly #waiting = new Map<number, ExecutionResult>();
  /** Resolves the pending `next`. */
  #request: ((step: Promise<Step>) => void) | null = null;
  /** Resolves `started`; null once the subscriber has started. */
  #start: ((hasStarted: boolean) => void) | null = null;
  #end: End | null = null;

  constructor(shared: Shared, outlet: Outlet) {
    this.#shared = shared;
    this.#outlet = outlet;
  }

  /** Resolves at the first result, which need not be a change; false: the subscription ended without one. */
  started(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#start = resolve;
    return promise;
  }

  /** Whether results wait for the client. */
  get isLagging(): boolean {
    return this.#waiting.size > 0;
  }

  /** Ignores what has not changed, unless it is the first result. */
  take({ id, isChange }: LiveEvent, result: ExecutionResult): void {
    if (this.#end !== null || !(isChange || this.#start !== null)) return;
    this.#waiting.delete(id);
    this.#waiting.set(id, result);
    this.#begin(true);
    if (this.#waiting.size > MOST_WAITING) this.#cut();
    else this.#answer();
  }

  /** The client is sent what still waits before the end. */
  finish(end: End): void {
    this.#end ??= end;
    this.#begin(end.fault !== undefined);
    this.#answer();
  }

  next(): Promise<Step> {
    for (const [id, value] of this.#waiting) {
      this.#waiting.delete(id);
      return Promise.resolve({ done: false, value });
    }
    this.#shared.caughtUp();
    if (this.#end?.fault !== undefined) return Promise.reject(this.#end.fault);
    if (this.#end !== null) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => {
      this.#request = resolve;
    });
  }

  return(): Promise<Step> {
    this.#waiting.clear();
    this.finish({});
    this.#shared.leave(this);
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #cut(): void {
    this.#outlet.cutForSlowness();
    void this.return();
  }

  #begin(hasStarted: boolean): void {
    this.#start?.(hasStarted);
    this.#start = null;
  }

  #answer(): void {
    const request = this.#request;
    this.#request = null;
    request?.(this.next());
  }
}
