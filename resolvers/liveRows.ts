// Makes the source of a subscription: rows that are read anew whenever the database announces a change.
import type { Context } from "../src/context/context.js";
import { TOPICS, type Topic } from "../src/events/events.js";
import { LiveSource, type LiveEvent } from "../src/events/liveSource.js";
import type { Row } from "../src/reads/engine/read.js";
import { ChangedIds, type TakenId } from "./changedIds.js";

/** What each topic means for the records that are followed. */
export type Hearing = Partial<Record<Topic, (id: number, changed: ChangedIds) => void>>;

/** One event: a record as it was read. */
export interface Told extends LiveEvent {
  readonly row: Row;
}

/** What is listened to, and how it is read. */
export interface LiveParts {
  readonly hearing: Hearing;
  /** Id of what a subscriber is told first, changed or not; null: nothing before something changes. */
  readonly first: number | null;
  /** Reads what is to be sent; ends the subscription with its own end. */
  readonly rows: (changed: ChangedIds) => AsyncGenerator<Told, void>;
}

/**
 * Listens from the moment it is made until it is ended; several subscribers may share it.
 * A generator alone would not do: it cannot be ended while it waits.
 */
export class LiveRows extends LiveSource<Told> {
  readonly first: number | null;
  readonly #changed = new ChangedIds();
  readonly #listeners: readonly (() => void)[];
  readonly #source: AsyncGenerator<Told, void>;

  constructor({ events }: Pick<Context, "events">, { hearing, first, rows }: LiveParts) {
    super();
    this.first = first;
    this.#listeners = topicsOf(hearing).map(([topic, heard]) => events.on(topic, (id) => heard(id, this.#changed)));
    if (first !== null) this.#changed.ask(first);
    this.#source = rows(this.#changed);
  }

  ask(id: number): void {
    this.#changed.ask(id);
  }

  async next(): Promise<IteratorResult<Told, void>> {
    try {
      const result = await this.#source.next();
      if (result.done === true) this.#stop();
      return result;
    } catch (error) {
      this.#stop();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<Told, void>> {
    this.#stop();
    return this.#source.return();
  }

  #stop(): void {
    for (const unsubscribe of this.#listeners) unsubscribe();
    this.#changed.close();
  }
}

/** An event for who asked and, when it is another one than was told last, for all. @returns null when it is for nobody */
export function toldOnce(taken: TakenId, row: Row, isOther: boolean): Told | null {
  return isOther || taken.asked ? { row, id: taken.id, isChange: isOther } : null;
}

type Heard = (id: number, changed: ChangedIds) => void;

function topicsOf(hearing: Hearing): [Topic, Heard][] {
  return TOPICS.flatMap((topic): [Topic, Heard][] => {
    const heard = hearing[topic];
    return heard === undefined ? [] : [[topic, heard]];
  });
}
