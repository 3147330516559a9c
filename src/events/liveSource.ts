// What a source of subscription events must provide, so that all who ask the same can share it.

/** One event; it is also the root value that the operation is executed on. */
export interface LiveEvent {
  /** Id of the record that the event is about, or a number that stands for it. */
  readonly id: number;
  /** False: the record has not changed; the event is only for subscribers who have just joined. */
  readonly isNews: boolean;
}

export abstract class LiveSource<Event extends LiveEvent = LiveEvent> implements AsyncIterableIterator<Event, void> {
  /** Id of the record that a new subscriber is sent first, changed or not; null: nothing is sent before a change. */
  abstract readonly first: number | null;
  /** Reads the record for new subscribers: an event follows, whether or not it has changed. */
  abstract ask(id: number): void;
  abstract next(): Promise<IteratorResult<Event, void>>;
  /** Ends the source, also while it waits. */
  abstract return(): Promise<IteratorResult<Event, void>>;

  [Symbol.asyncIterator](): this {
    return this;
  }
}
