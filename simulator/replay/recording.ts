// Reads a file of recorded exchanges, one JSON object a line.
import { readFile } from "node:fs/promises";
import { z } from "zod";

const fieldValue = z.union([z.string(), z.number(), z.boolean()]);
/** Parameters by name, or as pairs where a name is repeated or the order counts; read as pairs. */
const fields = z
  .union([z.record(z.string(), fieldValue), z.array(z.tuple([z.string(), fieldValue]))])
  .transform((given) => (Array.isArray(given) ? given : Object.entries(given)));

const exchangeSchema = z.object({
  id: z.string(),
  scene: z.string(),
  about: z.string().default(""),
  /** Which of the two hosts was asked. */
  host: z.string(),
  as: z.enum(["token", "ticket", "none", "lowpriv"]),
  who: z.string().nullish(),
  method: z.string(),
  /** As sent, without `/api2/json` unless another prefix was used. */
  path: z.string(),
  query: fields.optional(),
  form: fields.optional(),
  json: z.unknown().optional(),
  raw: z.string().optional(),
  request_content_type: z.string().optional(),
  request_transfer_encoding: z.string().optional(),
  /** Headers of a websocket handshake. */
  request_headers: z.record(z.string(), z.string()).optional(),
  /** What the client sent first, where it speaks first. */
  first_sent: z.string().optional(),
  /** First frame that came over a websocket; null: none came. */
  first_frame: z.object({ opcode: z.number(), length: z.number(), text: z.string() }).nullish(),
  authorization: z.string().optional(),
  cookie: z.string().optional(),
  /** Exchange whose answer gave the UPID in the path. */
  upid_of: z.string().optional(),
  status: z.number(),
  reason: z.string(),
  headers: z.record(z.string(), z.unknown()).default({}),
  body: z.unknown(),
  at_ms: z.number(),
  took_ms: z.number(),
});

/** One recorded request with its answer. */
export type Exchange = z.infer<typeof exchangeSchema>;

/** Exchanges that share a pair of fresh hosts, in the order in which they were recorded. */
export interface Run {
  name: string;
  exchanges: Exchange[];
}

/**
 * Reads the recording.
 * @throws Error naming the line that is no exchange
 */
export async function readRecording(path: string): Promise<Run[]> {
  const text = await readFile(path, "utf8");
  const runs = new Map<string, Exchange[]>();
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const exchange = readLine(line, `${path}:${index + 1}`);
    const name = exchange.id.replace(/-\d+$/, "");
    const known = runs.get(name);
    if (known === undefined) runs.set(name, [exchange]);
    else known.push(exchange);
  }
  return [...runs].map(([name, exchanges]) => ({ name, exchanges }));
}

function readLine(line: string, place: string): Exchange {
  const parsed = exchangeSchema.safeParse(JSON.parse(line));
  if (!parsed.success) throw new Error(`${place} is no exchange: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** Hosts that a run talks to, in the order of their first appearance. */
export function hostsOf(run: Run): string[] {
  return [...new Set(run.exchanges.map((exchange) => exchange.host))];
}

/** QEMU that the recorded hosts had, as it marks the VMs that it makes; null: no VM was shown. */
export function qemuOf(run: Run): string | null {
  for (const { body } of run.exchanges) {
    const [, version] = /creation-qemu=(\d+(?:\.\d+)*)/.exec(JSON.stringify(body) ?? "") ?? [];
    if (version !== undefined) return version;
  }
  return null;
}
