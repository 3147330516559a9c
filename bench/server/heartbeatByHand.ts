// Bare `node:http` and `pg`: a heartbeat by two statements.
import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { openBenchParts, type BenchParts } from "./parts.js";
import { serve } from "./serve.js";

const NOTE = `
  update agent set version = $2, healthy = $3, problems = $4, nat_configured = $5, public_address = $6, last_seen_at = now()
  where node_id = $1`;

const JOBS = `
  select j.id, j.kind, j.payload, j.deadline from agent_job j
  where j.node_id = $1 and j.status = 'waiting' and j.deadline > now() order by j.created_at`;

const beat = z.object({
  agent_version: z.string(),
  healthy: z.boolean(),
  problems: z.array(z.string()),
  nat_configured: z.boolean(),
  public_address: z.string().nullable(),
});

/** Knows the agents as the service does. @returns its base URL */
export async function startBareHeartbeat(databaseUrl: string): Promise<string> {
  const parts = await openBenchParts(databaseUrl);
  return serve((request, response) => {
    handle(parts, request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
}

async function handle(
  { access, services }: BenchParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const nodeId = await access.agentNodeId(request.headers.authorization);
  const told = beat.parse(JSON.parse(await bodyOf(request)));
  if (nodeId === null) {
    response.writeHead(401).end();
    return;
  }
  const { agent_version, healthy, problems, nat_configured, public_address } = told;
  const values = [nodeId, agent_version, healthy, problems, nat_configured, public_address];
  await services.pool.query({ name: "note", text: NOTE, values });
  const { rows: jobs } = await services.pool.query({ name: "jobs", text: JOBS, values: [nodeId] });
  const body = JSON.stringify({ success: true, data: { interval_seconds: 15, jobs }, error: null });
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) });
  response.end(body);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}
