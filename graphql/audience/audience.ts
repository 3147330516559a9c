// All subscribers with the same question and the same visibility: they share one source of events, one execution and one text for each event.
import { setImmediate as otherWork } from "node:timers/promises";
import type { LiveEvent, LiveSource } from "../../src/events/liveSource.js";
import { Backlog } from "./backlog.js";
import { SharedEvent } from "./sharedEvent.js";
import { Subscriber, type Company, type Errors, type Seat } from "./subscriber.js";

/** After so many subscribers other work has its turn. */
const AT_A_STRETCH = 250;
/** Characters that are kept for those who are behind; beyond it the hindmost have to go. */
const LONGEST_BACKLOG = 8 * 1024 * 1024;

interface AudienceParts {
  readonly source: LiveSource;
  /** Executes the operation for an event. @returns its result, JSON */
  readonly execute: (told: LiveEvent) => Promise<string>;
  /** @returns what subscribers are told of a fault of the source */
  readonly present: (error: unknown) => Errors;
  /** Called once, when nobody can join any more: the last has left, or the source has ended. */
  readonly over: () => void;
}

export class Audience implements Company {
  readonly backlog = new Backlog();
  readonly #parts: AudienceParts;
  readonly #subscribers = new Set<Subscriber>();
  readonly #behind = new Set<Subscriber>();
  #began = false;
  #isOver = false;
  #events = 0;
  #goOn: (() => void) | null = null;

  constructor(parts: AudienceParts) {
    this.#parts = parts;
  }

  /** Resolves with who has been told what is told first; null: it was over before. */
  async admit(seat: Seat): Promise<Subscriber | null> {
    if (this.#isOver) return null;
    const { source } = this.#parts;
    const subscriber = new Subscriber(this, seat, source.rounds);
    this.#subscribers.add(subscriber);
    const welcomed = source.first === null ? true : subscriber.welcomed();
    this.askFirst();
    this.#goOn?.();
    if (!this.#began) void this.#run();
    return (await welcomed) ? subscriber : null;
  }

  askFirst(): void {
    const { source } = this.#parts;
    if (source.first !== null) source.ask(source.first);
  }

  fellBehind(subscriber: Subscriber, event: SharedEvent): void {
    this.#behind.add(subscriber);
    this.#keep(event);
  }

  caughtUp(subscriber: Subscriber): void {
    this.#behind.delete(subscriber);
    if (this.#behind.size === 0) this.backlog.clear();
    this.#goOn?.();
  }

  leave(subscriber: Subscriber): void {
    if (!this.#subscribers.delete(subscriber)) return;
    if (this.#subscribers.size === 0) this.#close();
    this.caughtUp(subscriber);
  }

  #close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#parts.over();
    void this.#parts.source.return();
  }

  async #run(): Promise<void> {
    this.#began = true;
    try {
      await this.#tellAll();
      this.#end(null);
    } catch (error) {
      this.#end(this.#parts.present(error));
    }
  }

  async #tellAll(): Promise<void> {
    const { source, execute } = this.#parts;
    for await (const told of source) {
      const round = source.rounds;
      const payload = await execute(told);
      this.#events += 1;
      const { id: recordId, isNews } = told;
      await this.#tell(new SharedEvent({ number: this.#events, recordId, round, isNews, payload }));
      await this.#somebodyCanBeTold();
    }
  }

  async #tell(event: SharedEvent): Promise<void> {
    if (event.happened.isNews && this.#behind.size > 0) this.#keep(event);
    let asked = 0;
    for (const subscriber of this.#subscribers) {
      subscriber.take(event);
      asked += 1;
      if (asked % AT_A_STRETCH === 0) await otherWork();
    }
  }

  /** While all are behind nothing is read: what changes is read when somebody can be told. */
  async #somebodyCanBeTold(): Promise<void> {
    while (!this.#isOver && this.#behind.size === this.#subscribers.size) {
      await new Promise<void>((resolve) => {
        this.#goOn = resolve;
      });
    }
  }

  /** For those who are behind. */
  #keep(event: SharedEvent): void {
    this.backlog.add(event);
    while (this.backlog.length > LONGEST_BACKLOG) {
      const hindmost = [...this.#behind].reduce((left, right) => (toldOf(right) < toldOf(left) ? right : left));
      this.backlog.forgetUpTo(toldOf(hindmost));
      if (this.backlog.length > LONGEST_BACKLOG) hindmost.cut();
    }
  }

  #end(errors: Errors | null): void {
    this.#close();
    for (const subscriber of this.#subscribers) subscriber.end({ errors });
  }
}

const toldOf = ({ told }: Subscriber): number => told ?? Number.POSITIVE_INFINITY;
