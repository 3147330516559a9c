// What the tests of audiences share: a source whose readings can be held up, and clients who read when they are told to.
import type { Errors, Outlet, Seat } from "../../../graphql/audience/subscriber.js";
import type { ChangedIds } from "../../../resolvers/changedIds.js";
import { LiveRows, toldOnce, type LiveParts, type Told } from "../../../resolvers/liveRows.js";
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
    const hearing: LiveParts["hearing"] = { job: (id, changed) => changed.add([id]) };
    this.source = new LiveRows({ events: this }, { first, hearing, rows: (changed) => this.#rows(changed) });
  }

  async *#rows(changed: ChangedIds): AsyncGenerator<Told, void> {
    let told = "";
    for (let [taken] = await changed.take(1); taken !== undefined; [taken] = await changed.take(1)) {
      const value = await this.#read(taken.id);
      if (this.#fault !== null) throw this.#fault;
      if (this.#ends) return;
      const event = toldOnce(taken, { value }, value !== told);
      if (event !== null) yield event;
      told = value;
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
  tell(topic: Topic, id: number): void {
    this.#heard.get(topic)?.(id);
  }
  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** A client with one subscription: what it was sent, and whether it reads. */
export class Client implements Outlet, Seat {
  readonly outlet = this;
  readonly isWanted = true;
  readonly messages: string[] = [];
  /** Undefined: its subscription has not ended by itself. */
  end: Errors | null | undefined;
  isFull = false;
  wasCut = false;
  #waiting: (() => void)[] = [];

  constructor(readonly id = "1") {}

  take(): void {
    // There is no protocol's server.
  }

  giveBack(errors: Errors | null): void {
    this.end = errors;
  }

  post(message: Buffer): void {
    this.messages.push(message.toString("utf8"));
  }

  onceDrained(go: () => void): void {
    this.#waiting.push(go);
  }

  cutForSlowness(): void {
    this.wasCut = true;
  }

  stopReading(): void {
    this.isFull = true;
  }

  readOn(): void {
    this.isFull = false;
    for (const go of this.#waiting.splice(0)) go();
  }

  /** The values that it was told, in their order. */
  get values(): string[] {
    return this.messages.map((text) => JSON.parse(text).payload.value);
  }
}
