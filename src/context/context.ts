// What an action is given: the service's parts, and who is asking.
import type { Pool, QueryConfig, QueryResult, QueryResultRow } from "pg";
import type { GuestAudience } from "../access/guestAudience.js";
import type { Viewer } from "../access/viewer.js";
import type { Clock } from "../concurrency/clock.js";
import type { Config } from "../config/config.js";
import type { JobKind } from "../core/enums.js";
import type { LoadedSnapshot } from "../core/placement/context.js";
import type { Events } from "../events/events.js";
import type { Hypervisors } from "../hypervisor/hypervisor.js";
import type { RememberedGuests } from "../store/guest/remembered.js";
import type { Logger } from "../observability/log.js";
import type { SecretBox } from "../access/secretBox.js";

/** The parts of the running service that actions and jobs use; made once by `openServices`. */
export interface Services {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  /** Connections for statements and transactions. */
  readonly pool: Pool;
  readonly hypervisors: Hypervisors;
  /** The guests as the syncs of this process last stored them. */
  readonly rememberedGuests: RememberedGuests;
  readonly events: Events;
  /** Brings changed guests to those who see them. */
  readonly guestAudience: Pick<GuestAudience, "follow">;
  /** The nodes of all hosts, kept in memory for placement previews. */
  readonly fleet: Fleet;
  readonly secrets: SecretBox;
  readonly jobs: JobWaker;
}

/** The nodes of all hosts. */
interface Fleet {
  /** What placement decides on, of all hosts, never older than a reading of the database that begins with the call. */
  snapshot(): Promise<LoadedSnapshot>;
}

/** Wakes a worker for a job that has been committed. A lost wake-up does no harm: workers with free slots also look for jobs. */
export interface JobWaker {
  /** Asks for a worker, and waits for nothing. A failure is logged: the job is on record, and workers find it by looking. */
  wake(job: DueJob): void;
}

/** A job that waits for a worker. */
export interface DueJob {
  readonly id: number;
  readonly kind: JobKind;
}

/** Runs read-only statements; a pool is one. */
export interface Reads {
  query<Columns extends QueryResultRow>(statement: QueryConfig): Promise<QueryResult<Columns>>;
}

/** The cookie by which a browser shows whose session it has; the scripts of a page do not see it. */
interface SessionCookie {
  /** Whether a sign-in gives its session as a cookie, and no token to a program. */
  readonly isWanted: boolean;
  /** @param lasts milliseconds; null: until the browser is closed */
  set(value: string, lasts: number | null): void;
  /** Has the browser delete it, unless the request is authenticated by a bearer token. */
  clear(): void;
}

/** The context of one request: the services, and who is asking. */
export interface Context extends Services {
  readonly viewer: Viewer;
  readonly requestId: string;
  /** Address of the caller, without a port; IPv4-mapped IPv6 as IPv4. */
  readonly sourceIp: string;
  /** How the caller's program names itself; left out where it does not. */
  readonly userAgent?: string | undefined;
  /** Left out where an answer carries no cookies, as over a WebSocket. */
  readonly sessionCookie?: SessionCookie;
  /** Set where the answer is composed as text: reads then return records as {@link JsonText}, keyed by the client's aliases. */
  readonly recordsAsText?: true;
}
