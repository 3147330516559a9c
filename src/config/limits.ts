// The limits that operators can set, read from the environment; docs/operating.md says what happens at each.
import type { z } from "zod";
import { seconds, whole } from "./variables.js";

/** The variables, as a part of the environment's schema. */
export const limitVariables = {
  DROVER_DATABASE_WAIT_SECONDS: seconds(5, 0.05, 60),
  DROVER_STATEMENT_SECONDS: seconds(15, 0.05, 300),
  DROVER_WORK_STATEMENT_SECONDS: seconds(120, 1, 3600),
  DROVER_REQUESTS_AT_ONCE: whole(2_000, 1, 100_000),
  DROVER_LATE_SECONDS: seconds(2, 0.05, 60),
  DROVER_CONNECTIONS: whole(50_000, 10, 1_000_000),
  DROVER_SOCKETS: whole(20_000, 1, 1_000_000),
  DROVER_SOCKETS_PER_ADDRESS: whole(10_000, 1, 1_000_000),
  DROVER_SOCKETS_PER_CALLER: whole(10_000, 1, 1_000_000),
  DROVER_AGENTS_WAITING: whole(20_000, 0, 1_000_000),
  DROVER_HOST_CALLS_WAITING: whole(128, 1, 10_000),
} as const;

type Variables = z.output<z.ZodObject<typeof limitVariables>>;

/** How much is taken in at once, and how long is waited. Durations in milliseconds. */
export interface Limits {
  /** Longest wait of a request for a database connection. */
  readonly databaseWaitMs: number;
  /** Longest statement of a request. */
  readonly statementMs: number;
  /** Longest statement of jobs, syncs, sweeps and prunes; longest time that their transactions may stand still. */
  readonly workStatementMs: number;
  /** Requests of REST and GraphQL that are worked on at once. */
  readonly requestsAtOnce: number;
  /** How late the process may be with its work before requests are refused. */
  readonly lateMs: number;
  /** Connections of the HTTP server, of every kind. */
  readonly connections: number;
  /** WebSocket connections: all, of one source address, of one token or user. */
  readonly sockets: number;
  readonly socketsPerAddress: number;
  readonly socketsPerCaller: number;
  /** Agents whose heartbeat is held until there is work. */
  readonly agentsWaiting: number;
  /** Calls to one Proxmox VE host at once, on behalf of people who wait for the answer. */
  readonly hostCallsWaiting: number;
}

/** Work behind requests waits longer for a connection: nobody waits for it. */
const WORK_WAIT_MS = 30_000;

/** How long those who use the database wait, for `openDatabase`. */
export const databasePatience = ({ databaseWaitMs, statementMs, workStatementMs }: Limits) => ({
  requests: { connectMs: databaseWaitMs, statementMs },
  work: { connectMs: WORK_WAIT_MS, statementMs: workStatementMs },
});

/** The limits that the environment sets. */
export const limitsOf = (variables: Variables): Limits => ({
  databaseWaitMs: variables.DROVER_DATABASE_WAIT_SECONDS * 1000,
  statementMs: variables.DROVER_STATEMENT_SECONDS * 1000,
  workStatementMs: variables.DROVER_WORK_STATEMENT_SECONDS * 1000,
  requestsAtOnce: variables.DROVER_REQUESTS_AT_ONCE,
  lateMs: variables.DROVER_LATE_SECONDS * 1000,
  connections: variables.DROVER_CONNECTIONS,
  sockets: variables.DROVER_SOCKETS,
  socketsPerAddress: variables.DROVER_SOCKETS_PER_ADDRESS,
  socketsPerCaller: variables.DROVER_SOCKETS_PER_CALLER,
  agentsWaiting: variables.DROVER_AGENTS_WAITING,
  hostCallsWaiting: variables.DROVER_HOST_CALLS_WAITING,
});
