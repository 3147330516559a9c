// Keeps the wake-ups of the job queue in PostgreSQL.
import { PostgresBackend } from "@agendajs/postgres-backend";
import { Pool } from "pg";
import { connectionOptions, releaseBrokenClients, logLostConnections } from "../../src/db/pool.js";
import { retryUntilAvailable } from "../../src/db/retryUntilAvailable.js";
import type { Logger } from "../../src/observability/log.js";
import type { Backend } from "./backend.js";

const POOL_SIZE = 5;
const CONNECT_MS = 10_000;
const STATEMENT_MS = 30_000;

interface PostgresBackendParts {
  readonly databaseUrl: string;
  /** Unique among processes; shown as the application name of the connections. */
  readonly name: string;
  readonly log: Logger;
  /** Called with each error of the LISTEN connection. */
  readonly lostNotifications: (error: unknown) => void;
  /** Ends the waiting for a database that went away during the start. */
  readonly signal?: AbortSignal | undefined;
}

/** The backend on PostgreSQL, with a pool of its own: Agenda needs plain dates, and must not starve requests. */
export function postgresBackend({ databaseUrl, name, log, lostNotifications, signal }: PostgresBackendParts): Backend {
  const patience = { connectMs: CONNECT_MS, statementMs: STATEMENT_MS };
  const pool = new Pool({ ...connectionOptions(databaseUrl, { purpose: `queue ${name}`, patience }), max: POOL_SIZE });
  logLostConnections(pool, log);
  releaseBrokenClients(pool);
  const backend = new PostgresBackend({ pool, ensureSchema: false });
  backend.notificationChannel?.on("error", lostNotifications);
  // Agenda does not handle a rejection of its own call: it would end the process.
  const connect = backend.connect.bind(backend);
  backend.connect = () => retryUntilAvailable({ log, signal }, connect);
  return {
    options: { backend },
    async check() {
      await pool.query("select from agenda_jobs limit 1");
    },
    async close() {
      await backend.notificationChannel?.disconnect();
      await pool.end();
    },
  };
}
