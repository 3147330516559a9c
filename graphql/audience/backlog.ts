// Keeps the events that slow subscribers have not been sent yet: the last of each record, once for all of them.
import type { SharedEvent } from "./sharedEvent.js";

export class Backlog {
  /** By record, in the order in which they were told. */
  readonly #events = new Map<number, SharedEvent>();
  #length = 0;

  /** What was told of the same record before is not told any more. */
  add(event: SharedEvent): void {
    this.#forget(event.happened.recordId);
    this.#events.set(event.happened.recordId, event);
    this.#length += event.happened.payload.length;
  }

  /** What was told after the event of this number. */
  *after(number: number): Generator<SharedEvent, void> {
    for (const event of this.#events.values()) if (event.happened.number > number) yield event;
  }

  /** Characters of all payloads. */
  get length(): number {
    return this.#length;
  }

  /** Forgets the event of this number, and all before it: nobody waits for them. */
  forgetUpTo(number: number): void {
    for (const { happened } of this.#events.values()) {
      if (happened.number > number) return;
      this.#forget(happened.recordId);
    }
  }

  clear(): void {
    this.#events.clear();
    this.#length = 0;
  }

  #forget(recordId: number): void {
    const event = this.#events.get(recordId);
    if (event === undefined) return;
    this.#events.delete(recordId);
    this.#length -= event.happened.payload.length;
  }
}
