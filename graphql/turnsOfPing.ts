// Pings every connection from time to time, a part of them each second: one timer for all, and never all at once.
const SECOND_MS = 1000;
/** Seconds between two pings of one connection; who has not answered one by the next is gone. */
const PING_SECONDS = 12;

export interface Pinged {
  /** Pings it; ends it when it has not answered the last time. */
  look(): void;
}

export class TurnsOfPing {
  readonly #parts: readonly Set<Pinged>[] = Array.from({ length: PING_SECONDS }, () => new Set<Pinged>());
  readonly #timer: NodeJS.Timeout;
  #next = 0;

  constructor() {
    this.#timer = setInterval(() => this.#lookAtNext(), SECOND_MS).unref();
  }

  /** Its first turn comes after all others have had theirs. @returns ends its turns */
  add(pinged: Pinged): () => void {
    const part = this.#parts.at(this.#next - 1);
    part?.add(pinged);
    return () => part?.delete(pinged);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #lookAtNext(): void {
    const part = this.#parts[this.#next];
    this.#next = (this.#next + 1) % PING_SECONDS;
    for (const pinged of part ?? []) pinged.look();
  }
}
