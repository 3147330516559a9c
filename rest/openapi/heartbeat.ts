// Describes the agents' heartbeat, the one endpoint that is no row of the table.
import { z } from "zod";
import { heartbeat } from "../../heartbeat/protocol.js";
import type { DescribedOperation } from "./document.js";
import { recordOf, type JsonSchema } from "./jsonSchema.js";
import { refusedWith, success } from "./responses.js";
import { tagOf } from "./tags.js";

/** Below `/api/v1`. */
export const HEARTBEAT_PATH = "/agent/heartbeat";

const job: JsonSchema = recordOf({
  id: { type: "string", format: "uuid", description: "Names the job in the results" },
  kind: { type: "string", description: "tcp_check, unlock_guest or apply_port_forwards" },
  payload: { type: "object", description: "What the kind needs" },
  deadline: { type: "string", format: "date-time", description: "From when on the result is no longer waited for" },
});

const work: JsonSchema = recordOf({
  node: { type: "string", description: "Name of the node whose token was used" },
  interval_seconds: { type: "integer", description: "Seconds to the next heartbeat" },
  required_version: { type: "string", description: "The oldest agent version that counts as current" },
  jobs: { type: "array", items: job, description: "Waiting jobs: each is sent again until its result or its deadline" },
});

export const heartbeatOperation: DescribedOperation = {
  operationId: "agentHeartbeat",
  tags: [tagOf(HEARTBEAT_PATH)],
  summary: "Tells how a node is and what came of its jobs; the answer brings the jobs that wait for it",
  description: "Needs the token of the node's agent; API tokens are refused.",
  security: [{ agentToken: [] }],
  parameters: [
    {
      name: "wait",
      in: "query",
      required: false,
      description: "Seconds to hold the answer back until a job comes; not when results are reported",
      schema: { type: "number", minimum: 0 },
    },
  ],
  requestBody: { required: true, content: { "application/json": { schema: requestSchema() } } },
  responses: {
    200: success({ data: work }, "Noted", false),
    ...refusedWith(["unauthenticated", "notFound", "tooLarge", "validation", "unavailable"]),
  },
};

/** What the agent protocol checks. JSON Schema allows more than zod writes: through JSON, it is what the document holds. */
function requestSchema(): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(heartbeat, { io: "input" });
  const plain: JsonSchema = JSON.parse(JSON.stringify(schema));
  return plain;
}
