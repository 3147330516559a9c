// One subscription of one connection, which is sent its audience's events as fast as its client reads.
import type { GraphQLFormattedError } from "graphql";
import type { Backlog } from "./backlog.js";
import type { SharedEvent } from "./sharedEvent.js";

/** Where messages go. */
export interface Outlet {
  /** Whether its client reads so slowly that something waits in this process. */
  readonly isFull: boolean;
  /** Calls `go` once when it is no longer full; never when it ends before. */
  onceDrained(go: () => void): void;
  post(message: Buffer): void;
  /** Ends the connection: more waits than is kept for anybody. */
  cutForSlowness(): void;
}

/** A subscription's place on its connection. */
export interface Seat {
  readonly outlet: Outlet;
  /** What its client chose to call it. */
  readonly id: string;
  /** False: its client has ended it before it began, or is gone. */
  readonly isWanted: boolean;
  /** The protocol's server has seen it begin: from now on it only needs to know how to end it. */
  take(subscriber: Subscriber): void;
  /** Tells the client that it is over. @param errors null: what was followed has ended */
  giveBack(errors: Errors | null): void;
}

export type Errors = readonly GraphQLFormattedError[];

/** What a subscriber is part of. */
export interface Company {
  readonly backlog: Backlog;
  /** Has what subscribers are told first read again. */
  askFirst(): void;
  fellBehind(subscriber: Subscriber, event: SharedEvent): void;
  caughtUp(subscriber: Subscriber): void;
  leave(subscriber: Subscriber): void;
}

/** What it followed has ended. */
interface End {
  readonly errors: Errors | null;
}

/**
 * For the protocol's server it is a stream that it need not wait for: events are posted as they are. The server ends it (`return`)
 * when its client does or the connection ends.
 */
export class Subscriber implements AsyncIterableIterator<never, void> {
  readonly #company: Company;
  readonly #seat: Seat;
  /** The round of reading under way when it joined. */
  readonly #since: number;
  /** Number of the last event that it was told, while it is behind. */
  #told: number | null = null;
  /** Set until it was told what is told first. */
  #welcome: ((isWelcome: boolean) => void) | null = null;
  /** Set while something is to be told before its end. */
  #end: End | null = null;
  #isOver = false;

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
    const { outlet, id, isWanted } = this.#seat;
    if (isWanted && outlet.isFull) {
      outlet.onceDrained(() => this.#company.askFirst());
      return;
    }
    // Otherwise the protocol's server ends it at once.
    if (isWanted) outlet.post(event.messageFor(id));
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
    if (welcome !== null && end.errors === null) this.#isOver = true;
    else if (this.#told === null) this.#finish(end);
    else this.#end = end;
    welcome?.(end.errors !== null);
  }

  #finish({ errors }: End): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#seat.giveBack(errors);
  }

  #leave(): void {
    this.#isOver = true;
    this.#told = null;
    this.#company.leave(this);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  async next(): Promise<IteratorResult<never, void>> {
    this.#seat.take(this);
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<never, void>> {
    this.#leave();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
