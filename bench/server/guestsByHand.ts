// Bare `node:http` and `pg`: a hand-written handler, once with rows, once with PostgreSQL's own JSON passed through.
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { admit, openBenchParts, type BenchParts } from "./parts.js";
import { serve } from "./serve.js";
import { PLAIN_ROWS, TUNED_JSON, TUNED_ROWS } from "./guestPage.js";

const PATH = /^\/api\/v1\/hosts\/(\d+)\/guests$/;

interface PageAsked {
  readonly hostId: number;
  readonly page: number;
  readonly perPage: number;
}

type Answer = (parts: BenchParts, asked: PageAsked) => Promise<string>;

/** As it is written first: the driver parses rows, the handler writes them as JSON. */
export const startPlainGuests = (databaseUrl: string): Promise<string> =>
  start(databaseUrl, answerRows("plain rows", PLAIN_ROWS));

/** The same with the service's form of statement. */
export const startTunedGuests = (databaseUrl: string): Promise<string> =>
  start(databaseUrl, answerRows("tuned rows", TUNED_ROWS));

/** The ceiling: PostgreSQL's own JSON goes out as it is. */
export const startPassthroughGuests = (databaseUrl: string): Promise<string> => start(databaseUrl, answerText);

const start = async (databaseUrl: string, answer: Answer): Promise<string> =>
  serve(handler(await openBenchParts(databaseUrl), answer));

function answerRows(name: string, text: string): Answer {
  return async ({ services }, { hostId, page, perPage }) => {
    const values = [hostId, perPage, (page - 1) * perPage];
    const { rows } = await services.pool.query<Record<string, unknown>>({ name, text, values });
    const meta = { page, perPage, total: rows[0]?.["total"] ?? 0 };
    return JSON.stringify({ success: true, data: rows.map(record), error: null, meta });
  };
}

/** A new object: to delete `total` from the row would make it slow. */
const record = (row: Record<string, unknown>): Record<string, unknown> => ({
  type: row["type"],
  vmid: row["vmid"],
  node: row["node"],
  name: row["name"],
  host_id: row["host_id"],
  status: row["status"],
  template: row["template"],
  lock: row["lock"],
  tags: row["tags"],
  cores: row["cores"],
  memory_mb: row["memory_mb"],
  disk_gb: row["disk_gb"],
  cpu_usage: row["cpu_usage"],
  memory_used_mb: row["memory_used_mb"],
  uptime_seconds: row["uptime_seconds"],
  owner_id: row["owner_id"],
  plan_id: row["plan_id"],
  ip_addresses: row["ip_addresses"],
  safety_copy: row["safety_copy"],
  safety_copy_delete_at: row["safety_copy_delete_at"],
  last_seen_at: row["last_seen_at"],
});

async function answerText({ services }: BenchParts, { hostId, page, perPage }: PageAsked): Promise<string> {
  const { rows } = await services.pool.query<{ json: string }>({
    name: "json",
    text: TUNED_JSON,
    values: [hostId, perPage, (page - 1) * perPage, page],
  });
  return rows[0]?.json ?? "";
}

function handler(parts: BenchParts, answer: Answer): RequestListener {
  return (request, response) => {
    handle(parts, { request, response, answer }).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly answer: Answer;
}

async function handle(parts: BenchParts, { request, response, answer }: Exchange): Promise<void> {
  const at = new Date();
  const begin = performance.now();
  const admission = await admit(parts, request);
  const [path = "", query = ""] = (request.url ?? "").split("?");
  const hostId = Number(PATH.exec(path)?.[1]);
  const parameters = new URLSearchParams(query);
  const asked = { hostId, page: Number(parameters.get("page") ?? 1), perPage: Number(parameters.get("perPage") ?? 50) };
  const body = admission.admitted ? await answer(parts, asked) : JSON.stringify({ error: admission.refusal.message });
  const status = admission.admitted ? 200 : 401;
  parts.requestLog.record({
    at,
    tokenId: admission.token?.id ?? null,
    tokenName: admission.token?.name ?? null,
    sourceIp: "127.0.0.1",
    method: "GET",
    path,
    status,
    durationMs: performance.now() - begin,
  });
  response.writeHead(status, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) });
  response.end(body);
}
