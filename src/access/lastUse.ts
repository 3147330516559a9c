// Records when and from where each API token was last used, without a write for every request.
import type { Pool } from "pg";
import type { Clock } from "../concurrency/clock.js";
import type { Logger } from "../observability/log.js";
import * as apiTokens from "../store/apiToken.js";
import { pause } from "../concurrency/pause.js";

/** Seconds between two writes; the stored time of a token is at most this old. */
const WRITE_EVERY_SECONDS = 2;

interface Use {
  readonly at: Date;
  readonly sourceIp: string;
}

interface LastUseParts {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly log: Logger;
}

export class LastUse {
  readonly #parts: LastUseParts;
  readonly #closing = new AbortController();
  #uses = new Map<number, Use>();
  #writing: Promise<void> = Promise.resolve();
  #scheduled = false;

  constructor(parts: LastUseParts) {
    this.#parts = parts;
  }

  /** Notes that the token was used now. */
  note(tokenId: number, sourceIp: string): void {
    this.#uses.set(tokenId, { at: this.#parts.clock.now(), sourceIp });
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
    const uses = Array.from(this.#uses, ([tokenId, use]) => ({ tokenId, ...use })).toSorted(
      (left, right) => left.tokenId - right.tokenId,
    );
    this.#uses = new Map();
    if (uses.length === 0) return;
    try {
      await apiTokens.recordUses(this.#parts.pool, uses);
    } catch (error) {
      // The next use is noted again: this is a convenience, not a record.
      this.#parts.log.warn({ err: error, tokens: uses.length }, "the last use of tokens could not be noted");
    }
  }
}
