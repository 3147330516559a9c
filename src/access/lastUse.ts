// Records when and from where each credential of one kind was last used, without a write for every request.
import type { Clock } from "../concurrency/clock.js";
import { pause } from "../concurrency/pause.js";
import type { Logger } from "../observability/log.js";
import type { Use } from "../store/lastUse.js";

/** Seconds between two writes; the stored time of a credential is at most this old. */
const WRITE_EVERY_SECONDS = 2;

interface LastUseParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** For the log: `API tokens`. */
  readonly what: string;
  /** Stores uses, which are in the order of their ids. */
  readonly store: (uses: readonly Use[]) => Promise<void>;
}

export class LastUse {
  readonly #parts: LastUseParts;
  readonly #closing = new AbortController();
  #uses = new Map<number, Omit<Use, "id">>();
  #writing: Promise<void> = Promise.resolve();
  #scheduled = false;

  constructor(parts: LastUseParts) {
    this.#parts = parts;
  }

  /** Notes that the credential was used now. */
  note(id: number, sourceIp: string): void {
    this.#uses.set(id, { at: this.#parts.clock.now(), sourceIp });
    if (this.#scheduled || this.#closing.signal.aborted) return;
    this.#scheduled = true;
    this.#writing = this.#writeLater();
  }

  /** Writes what is not written yet. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#writing;
    await this.#write();
  }

  async #writeLater(): Promise<void> {
    const { signal } = this.#closing;
    await pause(WRITE_EVERY_SECONDS * 1000, signal, { ref: false });
    this.#scheduled = false;
    await this.#write();
  }

  async #write(): Promise<void> {
    const uses = Array.from(this.#uses, ([id, use]) => ({ id, ...use })).toSorted((one, other) => one.id - other.id);
    this.#uses = new Map();
    if (uses.length === 0) return;
    try {
      await this.#parts.store(uses);
    } catch (error) {
      // The next use is noted again: this is a convenience, not a record.
      const { log, what } = this.#parts;
      log.warn({ err: error, count: uses.length }, `the last use of ${what} could not be noted`);
    }
  }
}
