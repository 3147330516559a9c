// Brings changes of guests to those alone who may see them: whose a guest is, is read once for all, and nothing is done for the others.
import type { Pool } from "pg";
import type { Events } from "../events/events.js";
import type { Logger } from "../observability/log.js";
import * as knownGuests from "../store/guest/known.js";
import type { GuestPlace, GuestSight } from "./guestSight.js";

/** Somebody who follows changes of guests. */
export interface GuestFollower {
  readonly sight: GuestSight;
  /** Only guests of this host; null: of every host in sight. */
  readonly hostId: number | null;
  /** These guests have changed. */
  guests(ids: readonly number[]): void;
  /** Many guests of a host have changed. */
  host(hostId: number): void;
}

interface Parts {
  readonly pool: Pool;
  readonly events: Events;
  readonly log: Logger;
}

/** One a process. */
export class GuestAudience {
  readonly #parts: Parts;
  readonly #unsubscribe: readonly (() => void)[];
  /** Followers of bounded sight, by what of a guest they see it by. */
  readonly #byKey = new Map<string, Set<GuestFollower>>();
  readonly #bounded = new Set<GuestFollower>();
  #guests = new Set<number>();
  #hosts = new Set<number>();
  #isDelivering = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#unsubscribe = [
      parts.events.on("guest", (id) => this.#announced(this.#guests, id)),
      parts.events.on("guests", (hostId) => this.#announced(this.#hosts, hostId)),
    ];
  }

  /** @returns what ends it */
  follow(follower: GuestFollower): () => void {
    const keys = keysOf(follower);
    if (keys === null) return this.#followAll(follower);
    this.#bounded.add(follower);
    for (const key of keys) this.#byKey.set(key, (this.#byKey.get(key) ?? new Set()).add(follower));
    return () => {
      this.#bounded.delete(follower);
      for (const key of keys) {
        const others = this.#byKey.get(key);
        others?.delete(follower);
        if (others?.size === 0) this.#byKey.delete(key);
      }
    };
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  #followAll(follower: GuestFollower): () => void {
    const { events } = this.#parts;
    const unsubscribe = [
      events.on("guest", (id) => follower.guests([id])),
      events.on("guests", (hostId) => follower.host(hostId)),
    ];
    return () => {
      for (const end of unsubscribe) end();
    };
  }

  #announced(changed: Set<number>, id: number): void {
    if (this.#bounded.size === 0) return;
    changed.add(id);
    if (!this.#isDelivering) void this.#deliver();
  }

  /** What is announced during a reading is read with the next one: at most two statements are waited for. */
  async #deliver(): Promise<void> {
    this.#isDelivering = true;
    try {
      while (this.#guests.size + this.#hosts.size > 0) {
        const [guests, hosts] = [[...this.#guests], [...this.#hosts]];
        this.#guests = new Set();
        this.#hosts = new Set();
        if (guests.length > 0) await this.#deliverGuests(guests);
        if (hosts.length > 0) await this.#deliverHosts(hosts);
      }
    } finally {
      this.#isDelivering = false;
    }
  }

  async #deliverGuests(ids: readonly number[]): Promise<void> {
    const places = await this.#read(knownGuests.ownershipOf, ids);
    const seen = places === null ? this.#allOf(ids) : this.#seenOf(places, ({ id }) => id);
    for (const [follower, guests] of seen) follower.guests([...guests]);
  }

  async #deliverHosts(hostIds: readonly number[]): Promise<void> {
    const places = await this.#read(knownGuests.ownershipOn, hostIds);
    const seen = places === null ? this.#allOf(hostIds) : this.#seenOf(places, ({ hostId }) => hostId);
    for (const [follower, hosts] of seen) for (const hostId of hosts) follower.host(hostId);
  }

  #allOf(ids: readonly number[]): ReadonlyMap<GuestFollower, Iterable<number>> {
    return new Map([...this.#bounded].map((follower) => [follower, ids]));
  }

  /** @returns of each follower what of the places it sees, each id once */
  #seenOf<Place extends GuestPlace>(
    places: readonly Place[],
    idOf: (place: Place) => number,
  ): ReadonlyMap<GuestFollower, Iterable<number>> {
    const seen = new Map<GuestFollower, Set<number>>();
    for (const place of places) {
      for (const follower of this.#whoSees(place)) {
        const ids = seen.get(follower);
        if (ids === undefined) seen.set(follower, new Set([idOf(place)]));
        else ids.add(idOf(place));
      }
    }
    return seen;
  }

  /** @returns null when the database does not say it: then each follower's own reading finds out what it sees, and how to wait */
  async #read<Place extends GuestPlace>(
    reading: (pool: Pool, ids: readonly number[]) => Promise<Place[]>,
    ids: readonly number[],
  ): Promise<Place[] | null> {
    try {
      return await reading(this.#parts.pool, ids);
    } catch (error) {
      this.#parts.log.warn({ err: error }, "whose guests have changed cannot be read: every subscriber reads");
      return null;
    }
  }

  *#whoSees(place: GuestPlace): Generator<GuestFollower, void> {
    for (const key of [`host:${place.hostId}`, `owner:${place.ownerId}`, `reseller:${place.resellerId}`]) {
      for (const follower of this.#byKey.get(key) ?? []) {
        if (follower.hostId === null || follower.hostId === place.hostId) yield follower;
      }
    }
  }
}

/** @returns what a guest must have for the follower to see it, one of them; null: every guest is seen */
function keysOf({ sight, hostId }: GuestFollower): readonly string[] | null {
  if (sight.by !== "host") return [`${sight.by}:${sight.userId}`];
  if (sight.hostIds === null) return hostId === null ? null : [`host:${hostId}`];
  return sight.hostIds.map((id) => `host:${id}`);
}
