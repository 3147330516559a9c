// Asks the agent of a node to do something and waits for its answer.
import type { Pool } from "pg";
import { z } from "zod";
import type { Services } from "../context/context.js";
import { DroverError } from "../errors/errors.js";
import { placeOf } from "../hypervisor/platformError.js";
import * as agentJobs from "../store/agentJob.js";
import type { AskedJob } from "../store/agentJob.js";
import { waitForEvent } from "../events/waitForEvent.js";

/** What an agent can be asked, as protocol 1 names it, with the data of its answer. */
interface AgentAnswers {
  readonly tcp_check: { readonly reachable: boolean; readonly error?: string | null | undefined };
  readonly unlock_guest: object;
  readonly apply_port_forwards: object;
}
type AgentJobKind = keyof AgentAnswers;

const ANSWERS: { readonly [Kind in AgentJobKind]: z.ZodType<AgentAnswers[Kind]> } = {
  tcp_check: z.object({ reachable: z.boolean(), error: z.string().nullish() }),
  unlock_guest: z.object({}),
  apply_port_forwards: z.object({}),
};

interface AgentQuestion<Kind extends AgentJobKind> {
  readonly nodeId: number;
  readonly kind: Kind;
  readonly payload: Readonly<Record<string, unknown>>;
  /** How long to wait for the answer, milliseconds; afterwards the question is withdrawn. */
  readonly timeoutMs: number;
  /** Ends the waiting; the question is withdrawn. */
  readonly signal?: AbortSignal;
}

type Parts = Pick<Services, "pool" | "events">;

/**
 * Asks and waits.
 * @throws DroverError `unavailable` (`AGENT_SILENT`) when no answer comes in time, `platform` (`AGENT_FAILED`) with the
 *   agent's words when it could not be done; the signal's reason when the waiting was ended
 */
export async function askAgent<Kind extends AgentJobKind>(
  parts: Parts,
  question: AgentQuestion<Kind>,
): Promise<AgentAnswers[Kind]> {
  const id = await agentJobs.insert(parts.pool, question);
  try {
    return await awaitAgentJob(parts, { ...question, id });
  } catch (error) {
    await agentJobs.withdraw(parts.pool, id);
    throw error;
  }
}

/** A question that was asked before. */
interface AskedQuestion<Kind extends AgentJobKind> extends Omit<AgentQuestion<Kind>, "payload"> {
  readonly id: string;
}

/** Waits for the answer to a question that was asked before; it stays asked when none comes. @throws as `askAgent` */
async function awaitAgentJob<Kind extends AgentJobKind>(
  { pool, events }: Parts,
  { id, nodeId, kind, timeoutMs, signal }: AskedQuestion<Kind>,
): Promise<AgentAnswers[Kind]> {
  const answer = await waitForEvent(events, { topic: "agentResult", id: nodeId, timeoutMs, signal }, () =>
    look(pool, id),
  );
  if (answer === null) throw silent(timeoutMs);
  return ANSWERS[kind].parse(answer.data);
}

const silent = (timeoutMs: number): DroverError =>
  new DroverError("unavailable", `no answer from the node's agent within ${Math.ceil(timeoutMs / 1000)} s`, {
    reason: "AGENT_SILENT",
  });

/** @returns the answer; null while there is none */
async function look(pool: Pool, id: string): Promise<{ readonly data: unknown } | null> {
  const job = await agentJobs.find(pool, id);
  if (job === null) throw new DroverError("unavailable", "the node is no longer known", { reason: "AGENT_SILENT" });
  if (job.status === "failed") throw failed(job);
  return job.status === "done" ? job : null;
}

function failed({ host, node, error }: AskedJob): DroverError {
  const place = placeOf(host, node);
  return new DroverError("platform", `the agent of ${place} failed: ${error ?? "it does not say why"}`, {
    reason: "AGENT_FAILED",
    place,
  });
}
