// One subscription of one connection: it is told what its audience is told, as fast as its client reads.
import type { ExecutionResult } from "graphql";
import type { Backlog } from "./backlog.js";
import type { SharedEvent } from "./sharedEvent.js";

/** Where messages go. */
export interface Outlet {
  /** Whether as much waits to be read as may be kept for one client. */
  readonly isFull: boolean;
  /** Calls `go` once when it is no longer full; never when it ends before. */
  onceDrained(go: () => void): void;
  post(message: Buffer): void;
  /** Ends the connection: more waits than is kept for anybody. */
  cutForSlowness(): void;
}

/** Where a subscription's messages go, and the id that its client chose for it. */
export interface Seat {
  readonly outlet: Outlet;
  readonly id: string;
}

/** What a subscriber is part of. */
export interface Company {
  readonly backlog: Backlog;
  /** Has what subscribers are told first read again. */
  askFirst(): void;
  fellBehind(subscriber: Subscriber, event: SharedEvent): void;
  caughtUp(subscriber: Subscriber): void;
  leave(subscriber: Subscriber): void;
}

/** How a subscription ended. */
interface End {
  /** Null: with what it followed. */
  readonly error: unknown;
}

/**
 * For the protocol it is a stream that brings nothing but its end: events are posted as they are. The protocol's server ends it
 * (`return`) when the client does or the connection ends, and tells its client of its own end.
 */
export class Subscriber implements AsyncIterableIterator<ExecutionResult, void> {
  readonly #company: Company;
  readonly #seat: Seat;
  /** The round of reading under way when it joined. */
  readonly #since: number;
  /** Number of the last event that it was told, while it is behind. */
  #told: number | null = null;
  /** Set until it was told what is told first. */
  #welcome: ((isWelcome: boolean) => void) | null = null;
  #end: End | null = null;
  #ending: { resolve(): void; reject(error: unknown): void } | null = null;

  constructor(company: Company, seat: Seat, since: number) {
    this.#company = company;
    this.#seat = seat;
    this.#since = since;
  }

  /** Resolves when it has been told what is told first; false: what it would follow ended before. */
  welcomed(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#welcome = resolve;
    return promise;
  }

  /** The last that it was told; null: it is not behind. */
  get told(): number | null {
    return this.#told;
  }

  take(event: SharedEvent): void {
    if (event.happened.round <= this.#since) return;
    if (this.#welcome !== null) this.#takeFirst(event, this.#welcome);
    else if (event.happened.isNews) this.#takeNext(event);
  }

  #takeFirst(event: SharedEvent, welcome: (isWelcome: boolean) => void): void {
    const { outlet, id } = this.#seat;
    if (outlet.isFull) {
      outlet.onceDrained(() => this.#company.askFirst());
      return;
    }
    outlet.post(event.messageFor(id));
    this.#welcome = null;
    welcome(true);
  }

  #takeNext(event: SharedEvent): void {
    const { outlet, id } = this.#seat;
    if (this.#told !== null) return;
    if (outlet.isFull) {
      this.#told = event.happened.number - 1;
      this.#company.fellBehind(this, event);
      outlet.onceDrained(() => this.#catchUp());
    } else outlet.post(event.messageFor(id));
  }

  #catchUp(): void {
    const { outlet, id } = this.#seat;
    if (this.#told === null) return;
    for (const event of this.#company.backlog.after(this.#told)) {
      if (outlet.isFull) {
        outlet.onceDrained(() => this.#catchUp());
        return;
      }
      outlet.post(event.messageFor(id));
      this.#told = event.happened.number;
    }
    this.#told = null;
    this.#company.caughtUp(this);
    if (this.#end !== null) this.#finish(this.#end);
  }

  /** More waits for it than is kept for anybody. */
  cut(): void {
    this.#seat.outlet.cutForSlowness();
    this.#leave();
  }

  /** What it followed has ended: so does it, when it has been told everything. */
  end(end: End): void {
    const welcome = this.#welcome;
    this.#welcome = null;
    this.#end = end;
    welcome?.(end.error !== null);
    if (this.#told === null) this.#finish(end);
  }

  #finish({ error }: End): void {
    if (error === null) this.#ending?.resolve();
    else this.#ending?.reject(error);
  }

  #leave(): void {
    this.#told = null;
    this.#company.leave(this);
    this.#end ??= { error: null };
    this.#finish(this.#end);
  }

  async next(): Promise<IteratorResult<ExecutionResult, void>> {
    await new Promise<void>((resolve, reject) => {
      this.#ending = { resolve, reject };
      if (this.#end !== null && this.#told === null) this.#finish(this.#end);
    });
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<ExecutionResult, void>> {
    this.#leave();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
