// Ends WebSocket connections whose token was revoked, has expired, or no longer allows what it did.
import { CloseCode } from "graphql-ws";
import type { Access, KnownToken } from "../src/access/authenticate.js";
import { Turns } from "../src/access/turns.js";
import type { Viewer } from "../src/access/viewer.js";
import type { Services } from "../src/context.js";
import { seldom } from "../src/seldom.js";
import { ACCEPTED } from "./arrival.js";
import type { Wire } from "./wire.js";

/** Seconds between two looks without news: a credential may have expired. */
const LOOK_EVERY_SECONDS = 15;
/** So many credentials are looked at at once: the requests of others need the database too. */
const LOOKS_AT_ONCE = 50;
const SAY_AGAIN_MS = 10_000;
/** Close code "service restart": clients connect again, with what they may now. */
const CONNECT_AGAIN = 1012;

/** A connection that was let in. */
export interface LiveConnection {
  readonly wire: Wire;
  /** What was shown in place of an `Authorization` header. */
  readonly authorization: string | undefined;
  readonly viewer: Viewer;
}

export class LiveConnections {
  readonly #live = new Map<Wire, LiveConnection>();
  readonly #ended = new WeakSet<Wire>();
  readonly #access: Access;
  readonly #stop: readonly (() => void)[];
  readonly #warn: (error: unknown) => void;
  readonly #turns = new Turns({ atOnce: LOOKS_AT_ONCE, mostWaiting: Number.POSITIVE_INFINITY });
  #looking = false;
  /** News came while everybody was being looked at. */
  #again = false;

  constructor(services: Pick<Services, "events" | "log">, access: Access) {
    this.#access = access;
    this.#warn = seldom(SAY_AGAIN_MS, (error, more) =>
      services.log.warn({ err: error, more }, "a connection's token could not be looked at"),
    );
    const look = (): void => void this.#lookAtAll();
    const timer = setInterval(look, LOOK_EVERY_SECONDS * 1000).unref();
    this.#stop = [services.events.on("access", look), services.events.on("missed", look), () => clearInterval(timer)];
  }

  /** Whoever hung up while the credential was looked at has gone already, and will not be removed again. */
  add(connection: LiveConnection): void {
    if (!this.#ended.has(connection.wire)) this.#live.set(connection.wire, connection);
  }

  /** For the request log: the API token that the connection was let in with. */
  tokenOf(wire: Wire): KnownToken | null {
    const viewer = this.#live.get(wire)?.viewer;
    return viewer?.kind === "token" ? { id: viewer.tokenId, name: viewer.name } : null;
  }

  remove(wire: Wire): void {
    this.#ended.add(wire);
    this.#live.delete(wire);
  }

  close(): void {
    for (const stop of this.#stop) stop();
  }

  async #lookAtAll(): Promise<void> {
    this.#again = this.#looking;
    if (this.#looking) return;
    this.#looking = true;
    do {
      this.#again = false;
      await Promise.all([...this.#live.values()].map((each) => this.#turns.take(() => this.#lookAt(each))));
    } while (this.#again);
    this.#looking = false;
  }

  async #lookAt({ wire, authorization, viewer }: LiveConnection): Promise<void> {
    try {
      const now = await this.#access.identify(authorization, ACCEPTED);
      if (now === null) wire.close(CloseCode.Forbidden, "Forbidden");
      else if (!mayTheSame(now, viewer)) wire.close(CONNECT_AGAIN, "What the token allows has changed");
    } catch (error) {
      // The database is away: the next look, at the latest after LOOK_EVERY_SECONDS, decides.
      this.#warn(error);
    }
  }
}

const mayTheSame = (left: Viewer, right: Viewer): boolean => rights(left) === rights(right);

const rights = (viewer: Viewer): string =>
  JSON.stringify([viewer.kind === "user" ? viewer.role : viewer.kind, viewer.hostIds, [...viewer.permissions]]);
