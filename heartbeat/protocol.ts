// Version 1 of the agent protocol: what a heartbeat may say, checked, and what it is answered.
import { z } from "zod";
import { plainMessage } from "../src/errors/plainMessage.js";

const PROTOCOL = 1;
const MOST_RESULTS = 100;
/** Bounds of a result's data: levels, members and entries, characters of keys and texts. */
const DEEPEST_DATA = 8;
const MOST_VALUES = 200;
const MOST_CHARACTERS = 8_192;
const LONGEST_TEXT = 2_000;

/** Cut rather than refused: an agent must not fall silent because a program on its node was talkative. */
const text = z.string().transform((given) => given.replaceAll("\0", "").slice(0, LONGEST_TEXT).toWellFormed());
const wholeMb = z.number().int().min(0).max(2_147_483_647);

const agentResult = z.object({
  id: z.string().max(LONGEST_TEXT).describe("Id of the job"),
  status: z.enum(["done", "failed"]).describe("What came of it"),
  error: text.nullish().describe("Why it failed"),
  data: z
    .record(z.string(), z.unknown())
    .nullish()
    .refine((data) => isStorable(data), "must be JSON of a few levels, in proper Unicode")
    .refine((data) => isSmall(data), `must have at most ${MOST_VALUES} values and ${MOST_CHARACTERS} characters`)
    .describe("What the kind of job asks for"),
});

export const heartbeat = z.object({
  protocol: z.literal(PROTOCOL, { error: `must be ${PROTOCOL}` }).describe("Version of this protocol"),
  agent_version: z
    .string()
    .regex(/^\d{1,9}\.\d{1,9}\.\d{1,9}(?![\d.])[\x20-\x7e]*$/, "must be a version such as 1.0.0")
    .max(64)
    .describe("Version of the agent, such as `1.0.0`"),
  hypervisor_version: text.nullish().describe("Version of the platform; null when unknown"),
  healthy: z.boolean().describe("Whether the agent can do its work"),
  problems: z
    .array(text)
    .max(50)
    .nullish()
    .transform((given) => given ?? [])
    .describe("Why it is not healthy, for people"),
  nat_configured: z
    .boolean()
    .nullish()
    .transform((given) => given ?? false)
    .describe("Whether the node can forward public ports"),
  public_address: z
    .union([z.ipv4(), z.ipv6()], "must be an IP address")
    .nullish()
    .describe("Address of the public ports; null without NAT"),
  cpu_usage: z.number().min(0).max(1).nullish().describe("CPU in use, fraction 0..1 of the whole node"),
  memory_mb: wholeMb.nullish().describe("RAM of the node, MiB"),
  memory_used_mb: wholeMb.nullish().describe("RAM in use, MiB"),
  results: z
    .array(agentResult)
    .max(MOST_RESULTS)
    .nullish()
    .transform((given) => given ?? [])
    .describe("What came of jobs; repeating one does no harm"),
});

export type Heartbeat = z.infer<typeof heartbeat>;

/** A job as the agent gets it. */
export interface DeliveredJob {
  readonly id: string;
  readonly kind: string;
  readonly payload: unknown;
  readonly deadline: string;
}

/** PostgreSQL takes neither NUL nor halves of surrogate pairs, and one such heartbeat would refuse all of its batch. */
function isStorable(value: unknown, depth = 0): boolean {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\0");
  if (typeof value !== "object" || value === null) return true;
  if (depth >= DEEPEST_DATA) return false;
  return Object.entries(value).every(([key, inner]) => isStorable(key) && isStorable(inner, depth + 1));
}

/** Looks at no more values than are allowed. @returns whether there are few of them, and few characters in all */
function isSmall(data: unknown): boolean {
  const left = { values: MOST_VALUES, characters: MOST_CHARACTERS };
  const takes = (value: unknown): boolean => {
    left.values--;
    if (typeof value === "string") left.characters -= value.length;
    if (left.values < 0 || left.characters < 0) return false;
    if (typeof value !== "object" || value === null) return true;
    if (Array.isArray(value)) return value.every(takes);
    return Object.entries(value).every(([key, inner]) => {
      left.characters -= key.length;
      return takes(inner);
    });
  };
  return takes(data);
}

/** Reads a request body. @returns the heartbeat, or what is wrong with it, every field named */
export function readHeartbeat(body: unknown): { beat: Heartbeat } | { problem: string } {
  const parsed = heartbeat.safeParse(body, { error: plainMessage });
  if (parsed.success) return { beat: parsed.data };
  const problem = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "body"}: ${message}`).join("; ");
  return { problem };
}
