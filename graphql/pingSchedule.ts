// Pings every WebSocket connection once in a fixed interval, spread over its seconds: one timer for all, and never all at once.
const SECOND_MS = 1000;
/** Seconds between two pings of one connection; one that has not answered a ping by the next is dead. */
const PING_SECONDS = 12;

interface Pinged {
  /** Pings the connection; ends it when it has not answered the last ping. */
  look(): void;
}

export class PingSchedule {
  /** The connections that are pinged in the same second, by that second of the interval. */
  readonly #slots: readonly Set<Pinged>[] = Array.from({ length: PING_SECONDS }, () => new Set<Pinged>());
  readonly #timer: NodeJS.Timeout;
  #next = 0;

  constructor() {
    this.#timer = setInterval(() => this.#pingNextSlot(), SECOND_MS).unref();
  }

  /** Schedules a connection; its first ping comes after a whole interval. @returns a function that takes it off the schedule */
  add(pinged: Pinged): () => void {
    const slot = this.#slots.at(this.#next - 1);
    slot?.add(pinged);
    return () => slot?.delete(pinged);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #pingNextSlot(): void {
    const slot = this.#slots[this.#next];
    this.#next = (this.#next + 1) % PING_SECONDS;
    for (const pinged of slot ?? []) pinged.look();
  }
}
