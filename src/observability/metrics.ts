// The metrics that the process exposes to Prometheus.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { JobKind } from "../core/enums.js";

/** Everything that `/metrics` shows. */
export const metrics = new Registry();

/** Statements sent to PostgreSQL, except those of Agenda. */
export const sqlStatements = new Counter({
  name: "drover_sql_statements_total",
  help: "SQL statements sent to PostgreSQL",
  registers: [metrics],
});

/** Waits for a database connection that were refused at once, because too many waited already. */
export const databaseRefusals = new Counter({
  name: "drover_database_waits_refused_total",
  help: "Waits for a database connection that were refused because too many waited",
  registers: [metrics],
});

/** Requests that were refused because the process was late with its work. */
export const requestsShed = new Counter({
  name: "drover_requests_shed_total",
  help: "Requests that were refused because the process was late with its work",
  registers: [metrics],
});

/** Refusals that were answered after a pause, since their callers are refused again and again. */
export const refusalsPaced = new Counter({
  name: "drover_refusals_paced_total",
  help: "Refusals that were answered after a pause, because their callers were refused again and again",
  registers: [metrics],
});

/** Requests that were counted here instead of having a row in the request log. */
export const requestsUnlogged = new Counter({
  name: "drover_requests_unlogged_total",
  help: "Requests of unknown callers, and refusals for load, beyond those that are logged one by one",
  registers: [metrics],
});

/** `route` is the route's pattern, never a path with ids: the number of series stays small. */
export const httpRequests = new Counter({
  name: "drover_http_requests_total",
  help: "HTTP requests answered",
  labelNames: ["method", "route", "status"] as const,
  registers: [metrics],
});

/** Connections that were refused because all were taken. */
export const connectionsRefused = new Counter({
  name: "drover_connections_refused_total",
  help: "Connections of the HTTP server that were refused because all were taken",
  registers: [metrics],
});

/** WebSocket connections that are open now. */
export const openSockets = new Gauge({
  name: "drover_websockets",
  help: "WebSocket connections that are open",
  registers: [metrics],
});

/** Why the service ended or refused a WebSocket connection. */
export type SocketCut = "no_room" | "busy" | "wrong_origin" | "too_slow" | "silent";

/** WebSocket connections that the service ended or refused. */
export const socketsCut = new Counter({
  name: "drover_websockets_cut_total",
  help: "WebSocket connections that were refused or ended for want of room or time, a foreign page, slowness or silence",
  labelNames: ["reason"] as const,
  registers: [metrics],
});

/** Agents whose heartbeat is held until there is work for them. */
export const agentsWaiting = new Gauge({
  name: "drover_agents_waiting",
  help: "Agents whose heartbeat is held until there is work",
  registers: [metrics],
});

/** Rows of the request log that are not written yet. */
export const requestLogWaiting = new Gauge({
  name: "drover_request_log_waiting",
  help: "Rows of the request log that wait for the database",
  registers: [metrics],
});

/** Rows of the request log that were dropped: too many waited, or the database refused them. */
export const requestLogLost = new Counter({
  name: "drover_request_log_lost_total",
  help: "Rows of the request log that were given up",
  registers: [metrics],
});

/** Whether the workers of this process begin no jobs. */
export const draining = new Gauge({
  name: "drover_draining",
  help: "1 while workers begin no jobs (drover drain), else 0",
  registers: [metrics],
});

/** Jobs that this process finished; `status` is `done` or `failed`. */
const finishedJobs = new Counter({
  name: "drover_jobs_total",
  help: "Jobs finished by this process",
  labelNames: ["kind", "status"] as const,
  registers: [metrics],
});

// A series that starts with its first job would hide that job from every rate.
for (const kind of Object.values(JobKind)) {
  for (const status of ["done", "failed"]) finishedJobs.inc({ kind, status }, 0);
}

/** Whether wake-ups of the job queue can be stored: 1, or 0 while workers find jobs by looking. */
export const queueUp = new Gauge({
  name: "drover_queue_up",
  help: "1 while the job queue can be used, 0 while workers find jobs by looking",
  registers: [metrics],
});

/** Wake-ups that could not be stored. */
export const wakeUpsLost = new Counter({
  name: "drover_wake_ups_lost_total",
  help: "Wake-ups of workers that could not be stored; their jobs are found by looking",
  registers: [metrics],
});

/** Standing work that no process does. */
export const dutiesUnattended = new Gauge({
  name: "drover_duty_unattended",
  help: "1 for standing work that no process has done for two minutes, else 0",
  labelNames: ["duty"] as const,
  registers: [metrics],
});

/** Scheduled tasks that fail, or were not finished in time. */
export const tasksOverdue = new Gauge({
  name: "drover_task_overdue",
  help: "1 for a scheduled task that fails or was not finished in time, else 0",
  labelNames: ["task"] as const,
  registers: [metrics],
});

/** Seconds from a job's creation to its start by a worker of this process. */
const jobPickup = new Histogram({
  name: "drover_job_pickup_seconds",
  help: "Seconds from a job's creation to its start",
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60],
  registers: [metrics],
});

/** Adds memory, event loop and garbage collection of the process; once, by the service. */
export function countProcess(): void {
  collectDefaultMetrics({ register: metrics });
}

/** An observation of a worker's jobs. */
export type JobObservation =
  | { readonly kind: string; readonly status: "done" | "failed" }
  | { readonly kind: string; readonly pickedUpAfterSeconds: number };

/** Counts an observation. */
export function observeJob(seen: JobObservation): void {
  if ("status" in seen) finishedJobs.inc({ kind: seen.kind, status: seen.status });
  else jobPickup.observe(seen.pickedUpAfterSeconds);
}
