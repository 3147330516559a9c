// Makes the source of a subscription: rows that are read again whenever the database announces a change.
import type { Context } from "../src/context/context.js";
import { TOPICS, type Topic } from "../src/events/events.js";
import { LiveSource, type LiveEvent } from "../src/events/liveSource.js";
import type { ReadRow } from "../src/reads/engine/read.js";
import { ChangedIds, type TakenId } from "./changedIds.js";

/** What an announcement of each topic means for the followed records. */
export type Listeners = Partial<Record<Topic, (id: number, changed: ChangedIds) => void>>;

/** One event: a record in the state of its last reading. */
export interface RowEvent extends LiveEvent {
  readonly row: ReadRow;
}

export interface LiveParts {
  readonly listeners: Listeners;
  /** Listens to what tells of changes besides. @returns what ends it */
  readonly also?: (changed: ChangedIds) => () => void;
  /** Id of the record that a new subscriber receives first, changed or not; null: nothing before the first change. */
  readonly first: number | null;
  /** Reads the rows to be sent; its end ends the subscription. */
  readonly rows: (changed: ChangedIds) => AsyncGenerator<RowEvent, void>;
}

/**
 * Listens from the moment it is made until it is ended; several subscribers may share it.
 * A generator alone would not do: it cannot be ended while it waits.
 */
export class LiveRows extends LiveSource<RowEvent> {
  readonly first: number | null;
  readonly #changed = new ChangedIds();
  readonly #unsubscribe: readonly (() => void)[];
  readonly #source: AsyncGenerator<RowEvent, void>;

  constructor({ events }: Pick<Context, "events">, { listeners, also, first, rows }: LiveParts) {
    super();
    this.first = first;
    this.#unsubscribe = [
      ...topicsOf(listeners).map(([topic, listen]) => events.on(topic, (id) => listen(id, this.#changed))),
      ...(also === undefined ? [] : [also(this.#changed)]),
    ];
    if (first !== null) this.#changed.request(first);
    this.#source = rows(this.#changed);
  }

  request(id: number): void {
    this.#changed.request(id);
  }

  async next(): Promise<IteratorResult<RowEvent, void>> {
    try {
      const result = await this.#source.next();
      if (result.done === true) this.#stop();
      return result;
    } catch (error) {
      this.#stop();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<RowEvent, void>> {
    this.#stop();
    return this.#source.return();
  }

  #stop(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#changed.close();
  }
}

/** @returns an event for all subscribers when the record has changed, for new ones when one of them needs it, else null */
export function eventOf({ id, requested }: TakenId, row: ReadRow, isChange: boolean): RowEvent | null {
  return isChange || requested ? { row, id, isChange } : null;
}

type Listener = (id: number, changed: ChangedIds) => void;

function topicsOf(listeners: Listeners): [Topic, Listener][] {
  return TOPICS.flatMap((topic): [Topic, Listener][] => {
    const listen = listeners[topic];
    return listen === undefined ? [] : [[topic, listen]];
  });
}
