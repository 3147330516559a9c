// Remembers the guests of each host between syncs, so that only rows written since are read.
import { NO_GUESTS, type PresentGuests } from "./present.js";

/** Of all hosts together, some KB each; the hosts whose last sync is longest ago are forgotten first. */
const MOST_GUESTS = 150_000;

/**
 * The guests by host. What is remembered may be out of date at any time, as other processes and other parts of this one write
 * guests too: its digest is to be compared with the database's before it is relied on.
 */
export class RememberedGuests {
  readonly #hosts = new Map<number, PresentGuests>();
  readonly #most: number;
  #count = 0;

  constructor(most = MOST_GUESTS) {
    this.#most = most;
  }

  of(hostId: number): PresentGuests {
    return this.#hosts.get(hostId) ?? NO_GUESTS;
  }

  remember(hostId: number, guests: PresentGuests): void {
    this.#forget(hostId);
    this.#hosts.set(hostId, guests);
    this.#count += guests.byVmid.size;
    for (const oldest of this.#hosts.keys()) {
      if (this.#count <= this.#most) break;
      this.#forget(oldest);
    }
  }

  #forget(hostId: number): void {
    this.#count -= this.of(hostId).byVmid.size;
    this.#hosts.delete(hostId);
  }
}
