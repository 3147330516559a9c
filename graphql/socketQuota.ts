// Limits how many WebSocket connections are open: in all, from one address, and of one token or user.
import type { Viewer } from "../src/access/viewer.js";
import { DroverError } from "../src/errors/errors.js";
import type { Limits } from "../src/config/limits.js";
import type { ClientSocket } from "./clientSocket.js";

type SocketLimits = Pick<Limits, "sockets" | "socketsPerAddress" | "socketsPerCaller">;

/** Counts by key; a key that falls to zero is forgotten. */
export class Tally {
  readonly #counts = new Map<string, number>();

  /** Counts one more unless the limit is reached. @returns whether it was counted */
  take(key: string, limit: number): boolean {
    const count = this.#counts.get(key) ?? 0;
    if (count >= limit) return false;
    this.#counts.set(key, count + 1);
    return true;
  }

  giveBack(key: string): void {
    const left = (this.#counts.get(key) ?? 0) - 1;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
  }
}

export class SocketQuota {
  readonly #limits: SocketLimits;
  readonly #tally = new Tally();
  /** The keys that each open connection is counted under. */
  readonly #keys = new Map<ClientSocket, string[]>();

  constructor(limits: SocketLimits) {
    this.#limits = limits;
  }

  /** Counts a new connection. @returns the refusal when a limit is reached, else null */
  enter(client: ClientSocket, sourceIp: string): DroverError | null {
    if (this.#keys.size >= this.#limits.sockets) return tooMany("Too many connections");
    const key = `address ${sourceIp}`;
    if (!this.#tally.take(key, this.#limits.socketsPerAddress))
      return tooMany("Too many connections from this address");
    this.#keys.set(client, [key]);
    return null;
  }

  /** Counts the connection under its caller, once that is known. @returns the refusal when the caller has too many, else null */
  identify(client: ClientSocket, viewer: Viewer): DroverError | null {
    const keys = this.#keys.get(client);
    const key = callerOf(viewer);
    if (keys === undefined || key === null) return null;
    if (!this.#tally.take(key, this.#limits.socketsPerCaller)) {
      return tooMany("Too many connections of this token or user");
    }
    keys.push(key);
    return null;
  }

  /** Stops counting a connection that has ended. */
  leave(client: ClientSocket): void {
    for (const key of this.#keys.get(client) ?? []) this.#tally.giveBack(key);
    this.#keys.delete(client);
  }
}

const tooMany = (message: string): DroverError => new DroverError("unavailable", message, { reason: "BUSY" });

function callerOf(viewer: Viewer): string | null {
  if (viewer.kind === "anonymous") return null;
  return viewer.kind === "token" ? `token ${viewer.tokenId}` : `user ${viewer.userId}`;
}
