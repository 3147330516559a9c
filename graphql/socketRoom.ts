// Bounds how many WebSocket connections are open: in all, from one address, and of one token or user.
import type { Viewer } from "../src/access/viewer.js";
import { DroverError } from "../src/errors.js";
import type { Limits } from "../src/limits.js";
import type { Wire } from "./wire.js";

type SocketLimits = Pick<Limits, "sockets" | "socketsPerAddress" | "socketsPerCaller">;

/** Counts by key; a key without any is forgotten. */
class Tally {
  readonly #counts = new Map<string, number>();

  /** Counts one more unless there are as many as may be. */
  take(key: string, most: number): boolean {
    const count = this.#counts.get(key) ?? 0;
    if (count >= most) return false;
    this.#counts.set(key, count + 1);
    return true;
  }

  giveBack(key: string): void {
    const left = (this.#counts.get(key) ?? 0) - 1;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
  }
}

export class SocketRoom {
  readonly #limits: SocketLimits;
  readonly #tally = new Tally();
  /** What each open connection was counted under. */
  readonly #places = new Map<Wire, string[]>();

  constructor(limits: SocketLimits) {
    this.#limits = limits;
  }

  /** A connection came. @returns why there is no room for it; null: there was */
  enter(wire: Wire, sourceIp: string): DroverError | null {
    if (this.#places.size >= this.#limits.sockets) return noRoom("Too many connections");
    const key = `address ${sourceIp}`;
    if (!this.#tally.take(key, this.#limits.socketsPerAddress)) return noRoom("Too many connections from this address");
    this.#places.set(wire, [key]);
    return null;
  }

  /** It is known whose the connection is. @returns why there is no room for it; null: there was */
  identify(wire: Wire, viewer: Viewer): DroverError | null {
    const places = this.#places.get(wire);
    const key = callerOf(viewer);
    if (places === undefined || key === null) return null;
    if (!this.#tally.take(key, this.#limits.socketsPerCaller)) {
      return noRoom("Too many connections of this token or user");
    }
    places.push(key);
    return null;
  }

  /** The connection has ended. */
  leave(wire: Wire): void {
    for (const key of this.#places.get(wire) ?? []) this.#tally.giveBack(key);
    this.#places.delete(wire);
  }
}

const noRoom = (message: string): DroverError => new DroverError("unavailable", message, { reason: "BUSY" });

function callerOf(viewer: Viewer): string | null {
  if (viewer.kind === "anonymous") return null;
  return viewer.kind === "token" ? `token ${viewer.tokenId}` : `user ${viewer.userId}`;
}
