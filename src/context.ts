// What an action is given: the service's parts, and who is asking.
import type { EntityManager } from "@mikro-orm/postgresql";
import type { Pool, QueryConfig, QueryResult, QueryResultRow } from "pg";
import type { Viewer } from "./access/viewer.js";
import type { KeptFleet } from "./actions/placement/keptFleet.js";
import type { Clock } from "./clock.js";
import type { Config } from "./config.js";
import type { JobKind } from "./core/enums.js";
import type { Events } from "./events.js";
import type { Hypervisors } from "./hypervisor/hypervisor.js";
import type { RememberedGuests } from "./inventory/rememberedGuests.js";
import type { Logger } from "./log.js";
import type { SecretBox } from "./secretBox.js";

/** The parts of the running service that actions and jobs use; made once in `main.ts`. */
export interface Services {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  /** The native pool: one-statement reads and bulk writes. */
  readonly pool: Pool;
  /** A fresh unit of work: entities are only for what is written. */
  entities(): EntityManager;
  readonly hypervisors: Hypervisors;
  /** What syncs of this process know of each other. */
  readonly rememberedGuests: RememberedGuests;
  readonly events: Events;
  /** The nodes of all hosts, as placement knows them. */
  readonly fleet: KeptFleet;
  readonly secrets: SecretBox;
  readonly jobs: JobWaker;
}

/** Wakes a worker for a job that has been committed. Losing a wake-up never matters: workers with room look for jobs by themselves too. */
export interface JobWaker {
  /** Never fails: what keeps it from waking anybody is logged. */
  wake(job: { readonly id: number; readonly kind: JobKind }): Promise<void>;
}

/** Sends statements that read, as a pool does. */
export interface Reads {
  query<Columns extends QueryResultRow>(statement: QueryConfig): Promise<QueryResult<Columns>>;
}

/** Sends the reads of one caller: its `query` throws DroverError `unavailable` once the caller has left. */
export interface ReadsFor extends Reads {
  /** For long work between statements. @throws DroverError `unavailable` once the caller has left */
  refuseWhoLeft(): void;
}

/** One request's context. */
export interface Context extends Services {
  readonly viewer: Viewer;
  readonly requestId: string;
  /** Address of the caller, without a port; IPv4-mapped IPv6 as IPv4. */
  readonly sourceIp: string;
  /** Set where nothing is changed: reads that nobody waits for any more are given up. */
  readonly readsFor?: ReadsFor | undefined;
  /** Set where answers are made of text: reads then give records as {@link JsonText}, keyed by the client's aliases. */
  readonly recordsAsText?: true;
}
