// What the tests of shared subscriptions use: a source whose readings can be held up, and clients that read on demand.
import type { Outlet, Subscriber } from "../../../graphql/shared/subscriber.js";
import type { ChangedIds } from "../../../resolvers/changedIds.js";
import { LiveRows, eventOf, type LiveParts, type RowEvent } from "../../../resolvers/liveRows.js";
import type { Events, Topic } from "../../../src/events/events.js";

/** Records that change, are announced, and are read one after the other. */
export class Records implements Events {
  readonly source: LiveRows;
  readonly #values = new Map<number, string>();
  readonly #heard = new Map<Topic, (id: number) => void>();
  #reads = 0;
  #holding: Promise<void> = Promise.resolve();
  #release: () => void = () => undefined;
  #ends = false;
  #fault: Error | null = null;

  /** @param first id of what subscribers are told first; null: nothing */
  constructor(first: number | null) {
    const listeners: LiveParts["listeners"] = { job: (id, changed) => changed.add([id]) };
    this.source = new LiveRows({ events: this }, { first, listeners, rows: (changed) => this.#rows(changed) });
  }

  async *#rows(changed: ChangedIds): AsyncGenerator<RowEvent, void> {
    let last = "";
    for (let [taken] = await changed.take(1); taken !== undefined; [taken] = await changed.take(1)) {
      const value = await this.#read(taken.id);
      if (this.#fault !== null) throw this.#fault;
      if (this.#ends) return;
      const event = eventOf(taken, { value }, value !== last);
      if (event !== null) yield event;
      last = value;
    }
  }

  get reads(): number {
    return this.#reads;
  }

  get isFollowed(): boolean {
    return this.#heard.size > 0;
  }

  change(id: number, value: string): void {
    this.#values.set(id, value);
    this.#heard.get("job")?.(id);
  }

  /** The next reading ends the source. */
  end(id: number): void {
    this.#ends = true;
    this.#heard.get("job")?.(id);
  }

  /** The next reading fails. */
  fail(id: number, fault: Error): void {
    this.#fault = fault;
    this.#heard.get("job")?.(id);
  }

  /** Readings see what is so when they begin, and bring it when they are let go. */
  hold(): void {
    ({ promise: this.#holding, resolve: this.#release } = Promise.withResolvers<void>());
  }

  letGo(): void {
    this.#release();
  }

  async #read(id: number): Promise<string> {
    this.#reads += 1;
    const value = this.#values.get(id) ?? "none";
    await this.#holding;
    return value;
  }

  on(topic: Topic, heard: (id: number) => void): () => void {
    this.#heard.set(topic, heard);
    return () => this.#heard.delete(topic);
  }
  emitLocal(topic: Topic, id: number): void {
    this.#heard.get(topic)?.(id);
  }
  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** A client with one subscription: what it was sent, and whether it reads. */
export class Client implements Outlet {
  readonly values: unknown[] = [];
  /** Null: the subscription has ended; an error: by this fault; undefined: it goes on. */
  end: Error | null | undefined;
  wasCut = false;
  #subscriber: Subscriber | null = null;
  #reading: Promise<void> = Promise.resolve();
  #readOn: () => void = () => undefined;

  /** Reads the results as graphql-ws does: the next after the last one was sent. */
  follow(subscriber: Subscriber): void {
    this.#subscriber = subscriber;
    void this.#readAll(subscriber).then(
      () => (this.end = null),
      (error: Error) => (this.end = error),
    );
  }

  async #readAll(subscriber: Subscriber): Promise<void> {
    for await (const { data } of subscriber) {
      await this.#reading;
      this.values.push(data?.["value"]);
    }
  }

  async leave(): Promise<void> {
    await this.#subscriber?.return();
  }

  cutForSlowness(): void {
    this.wasCut = true;
  }

  stopReading(): void {
    ({ promise: this.#reading, resolve: this.#readOn } = Promise.withResolvers<void>());
  }

  readOn(): void {
    this.#readOn();
  }
}
