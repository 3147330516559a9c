// Keeps the ids of changed records that subscribers have not been told yet, each once, however often it changed meanwhile.
import { pause } from "../src/concurrency/pause.js";

/** An id whose record is to be read. */
export interface TakenId {
  readonly id: number;
  /** Whether it changed; else it is only read for who asked for it. */
  readonly changed: boolean;
  /** Whether somebody asked to be told it whether or not it changed. */
  readonly asked: boolean;
}

/** Ids in the order in which they first came. However slowly they are taken, they are no more than there are records. */
export class ChangedIds {
  readonly #ids = new Map<number, TakenId>();
  #wake: (() => void) | null = null;
  #endRest: AbortController | null = null;
  #closed = false;

  /** These changed. */
  add(ids: Iterable<number>): void {
    for (const id of ids) this.#ids.set(id, { id, changed: true, asked: this.#ids.get(id)?.asked ?? false });
    this.#wake?.();
  }

  /** Somebody is to be told this, changed or not. */
  ask(id: number): void {
    this.#ids.set(id, { id, changed: this.#ids.get(id)?.changed ?? false, asked: true });
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

  /** Waits before the next look at what changes all the time, but not while somebody waits who asked. */
  async rest(milliseconds: number): Promise<void> {
    if (this.#closed || [...this.#ids.values()].some(({ asked }) => asked)) return;
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
