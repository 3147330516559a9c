// The interface of a source of subscription events that several subscribers can share.

/** One event, which is also the root value of the executed operation. */
export interface LiveEvent {
  /** Id of the changed record, or a number in its place. */
  readonly id: number;
  /** False: the record has not changed; the event is only for new subscribers. */
  readonly isChange: boolean;
}

export abstract class LiveSource<Event extends LiveEvent = LiveEvent> implements AsyncIterableIterator<Event, void> {
  /** Id of the record that a new subscriber receives first, changed or not; null: nothing before the first change. */
  abstract readonly first: number | null;
  /** Reads the record for new subscribers: an event follows, whether or not it has changed. */
  abstract request(id: number): void;
  abstract next(): Promise<IteratorResult<Event, void>>;
  /** Ends the source, even while it waits. */
  abstract return(): Promise<IteratorResult<Event, void>>;

  [Symbol.asyncIterator](): this {
    return this;
  }
}
