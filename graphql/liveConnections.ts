// Closes WebSocket connections whose token was revoked, has expired, or has other rights than before.
import { CloseCode } from "graphql-ws";
import type { Access, Presented } from "../src/access/authenticate.js";
import { ConcurrencyLimit } from "../src/access/concurrencyLimit.js";
import type { Viewer } from "../src/access/viewer.js";
import type { Services } from "../src/context/context.js";
import { throttle } from "../src/concurrency/throttle.js";
import { ACCEPTED } from "./arrival.js";
import type { ClientSocket } from "./clientSocket.js";

/** Seconds between two checks while no change is announced: a credential may have expired. */
const CHECK_EVERY_SECONDS = 15;
/** Most credentials that are checked at once: other requests need the database too. */
const CHECKS_AT_ONCE = 50;
const WARN_EVERY_MS = 10_000;
/** Close code "service restart": clients connect again, with what they may now. */
const CONNECT_AGAIN = 1012;

/** A connection that was admitted. */
interface LiveConnection {
  readonly client: ClientSocket;
  /** The credential that it was opened with. */
  readonly presented: Presented;
  readonly viewer: Viewer;
}

export class LiveConnections {
  readonly #live = new Map<ClientSocket, LiveConnection>();
  readonly #access: Access;
  readonly #stop: readonly (() => void)[];
  readonly #warn: (error: unknown) => void;
  readonly #checks = new ConcurrencyLimit({ atOnce: CHECKS_AT_ONCE, mostWaiting: Number.POSITIVE_INFINITY });
  #isChecking = false;
  /** A change was announced during a check of all connections: another check follows. */
  #again = false;

  constructor(services: Pick<Services, "events" | "log">, access: Access) {
    this.#access = access;
    this.#warn = throttle(WARN_EVERY_MS, (error, more) =>
      services.log.warn({ err: error, more }, "the token of a connection could not be checked"),
    );
    const check = (): void => void this.#checkAll();
    const timer = setInterval(check, CHECK_EVERY_SECONDS * 1000).unref();
    this.#stop = [services.events.on("access", check), services.events.on("gap", check), () => clearInterval(timer)];
  }

  /** Ignores a connection that ended while its credential was being checked: nobody would remove it again. */
  add(connection: LiveConnection): void {
    if (connection.client.isOpen) this.#live.set(connection.client, connection);
  }

  /** Who the connection was admitted for; null: nobody yet. */
  viewerOf(client: ClientSocket): Viewer | null {
    return this.#live.get(client)?.viewer ?? null;
  }

  remove(client: ClientSocket): void {
    this.#live.delete(client);
  }

  close(): void {
    for (const stop of this.#stop) stop();
  }

  async #checkAll(): Promise<void> {
    this.#again = this.#isChecking;
    if (this.#isChecking) return;
    this.#isChecking = true;
    do {
      this.#again = false;
      await Promise.all([...this.#live.values()].map((each) => this.#checks.run(() => this.#check(each))));
    } while (this.#again);
    this.#isChecking = false;
  }

  async #check({ client, presented, viewer }: LiveConnection): Promise<void> {
    try {
      const now = await this.#access.identify({ ...presented, sourceIp: client.sourceIp }, ACCEPTED);
      if (now === null) client.close(CloseCode.Forbidden, "Forbidden");
      else if (!hasSameRights(now, viewer)) client.close(CONNECT_AGAIN, "What the token allows has changed");
    } catch (error) {
      // The database is away: the next check decides, CHECK_EVERY_SECONDS later at the latest.
      this.#warn(error);
    }
  }
}

const hasSameRights = (left: Viewer, right: Viewer): boolean => rights(left) === rights(right);

const rights = (viewer: Viewer): string =>
  JSON.stringify([viewer.kind === "user" ? viewer.role : viewer.kind, viewer.hostIds, [...viewer.permissions]]);
