// What a source of subscription events must provide, so that all who ask the same can share it.

/** One event; it is also the root value that the operation is executed on. */
export interface LiveEvent {
  /** What it is about: the id of a record, or what stands for it. */
  readonly id: number;
  /** False: it is told to who asked for it, and nothing new to all others. */
  readonly isNews: boolean;
}

export abstract class LiveSource<Event extends LiveEvent = LiveEvent> implements AsyncIterableIterator<Event, void> {
  /** Id of what a subscriber is told first, changed or not; null: nothing before something changes. */
  abstract readonly first: number | null;
  /** How often news has been taken for reading. What comes of a later round was read after this moment. */
  abstract readonly rounds: number;
  /** Reads it for who has not been told it: an event follows, whether or not it changed. */
  abstract ask(id: number): void;
  abstract next(): Promise<IteratorResult<Event, void>>;
  /** Ends it, also while it waits. */
  abstract return(): Promise<IteratorResult<Event, void>>;

  [Symbol.asyncIterator](): this {
    return this;
  }
}
