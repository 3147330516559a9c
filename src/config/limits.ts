// The limits that operators can set in the environment; docs/operating.md describes the effect of each.
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

/** Limits of concurrent work, and time-outs in milliseconds. */
export interface Limits {
  /** Longest wait of a request for a database connection. */
  readonly databaseWaitMs: number;
  /** Longest statement of a request, and longest idle transaction of anybody. */
  readonly statementMs: number;
  /** Longest statement of jobs, syncs, sweeps and prunes. */
  readonly workStatementMs: number;
  /** Concurrent REST and GraphQL requests. */
  readonly requestsAtOnce: number;
  /** Event-loop delay above which requests are refused. */
  readonly lateMs: number;
  /** Connections of the HTTP server, of every kind. */
  readonly connections: number;
  /** WebSocket connections: all, of one source address, of one token or user. */
  readonly sockets: number;
  readonly socketsPerAddress: number;
  readonly socketsPerCaller: number;
  /** Heartbeats that are held open until there is work (long poll). */
  readonly agentsWaiting: number;
  /** Concurrent calls to one Proxmox VE host on behalf of requests. */
  readonly hostCallsWaiting: number;
}

/** Background work can wait longer for a connection than a request. */
const WORK_WAIT_MS = 30_000;

/**
 * The time-outs of both pools, for `openDatabase`. A statement of background work may take long; that a transaction idles says that
 * its process hangs, and whoever takes over its jobs waits for the locks.
 */
export const databaseTimeouts = ({ databaseWaitMs, statementMs, workStatementMs }: Limits) => ({
  requests: { connectMs: databaseWaitMs, statementMs },
  work: { connectMs: WORK_WAIT_MS, statementMs: workStatementMs, idleMs: statementMs },
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
