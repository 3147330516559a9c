// Collects the ids of changed records until a subscription reads them: each once, however often the record has changed.
import { pause } from "../src/concurrency/pause.js";

/** An id whose record is to be read. */
export interface TakenId {
  readonly id: number;
  /** Whether the record has changed; else it is read for new subscribers only. */
  readonly changed: boolean;
  /** Whether a new subscriber needs the record, changed or not. */
  readonly requested: boolean;
}

/** Ids in the order in which they first came. However slowly they are taken, there are no more of them than records. */
export class ChangedIds {
  readonly #ids = new Map<number, TakenId>();
  #wake: (() => void) | null = null;
  #endRest: AbortController | null = null;
  #closed = false;

  /** Adds ids of records that have changed. */
  add(ids: Iterable<number>): void {
    for (const id of ids) this.#ids.set(id, { id, changed: true, requested: this.#ids.get(id)?.requested ?? false });
    this.#wake?.();
  }

  /** Adds a record that a new subscriber needs, changed or not. */
  request(id: number): void {
    this.#ids.set(id, { id, changed: this.#ids.get(id)?.changed ?? false, requested: true });
    this.#wake?.();
    this.#endRest?.abort();
  }

  /** Waits for ids and takes at most `most` of them. @returns an empty list once closed */
  async take(most: number): Promise<TakenId[]> {
    while (this.#ids.size === 0 && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#closed) return [];
    const taken: TakenId[] = [];
    for (const [id, each] of this.#ids) {
      if (taken.length === most) break;
      taken.push(each);
      this.#ids.delete(id);
    }
    return taken;
  }

  /** Waits before the next reading of what changes all the time; a request ends the wait. */
  async rest(milliseconds: number): Promise<void> {
    if (this.#closed || [...this.#ids.values()].some(({ requested }) => requested)) return;
    const rest = new AbortController();
    this.#endRest = rest;
    await pause(milliseconds, rest.signal, { ref: false });
    this.#endRest = null;
  }

  get closed(): boolean {
    return this.#closed;
  }

  close(): void {
    this.#closed = true;
    this.#wake?.();
    this.#endRest?.abort();
  }
}
