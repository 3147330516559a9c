// Describes REST v1 as an OpenAPI 3.1 document, from the rows and the GraphQL schema that answer requests.
import type { GraphQLSchema } from "graphql";
import type { Route } from "../route.js";
import type { OpenApiDocument, DescribedOperation, PathItem } from "./document.js";
import { HEARTBEAT_PATH, heartbeatOperation } from "./heartbeat.js";
import { describeRoute } from "./operations.js";
import { Records } from "./records.js";
import { failureBodies, headers, refusals } from "./responses.js";
import { tags } from "./tags.js";

const ABOUT = `Drover in front of Proxmox VE hosts, for billing systems.

Every answer is an envelope: \`success\`, \`data\`, \`error\`, and \`meta\` on lists. The token checks (401, 403, 429) answer with the
short body \`{"error": "…"}\` instead. Bodies are JSON or forms; numbers may come as decimal text; unknown fields are ignored.
A known path with another method answers 405 with \`Allow\`, an unknown path 404. GET endpoints answer HEAD too.

This description (\`/api/v1/openapi.json\`) and its page (\`/api/v1/docs\`) need no token; everything else does.`;

/**
 * The description of all rows, and of the agents' heartbeat.
 * @throws Error when a row does not fit the schema, or two rows have one name
 */
export function describeRest(schema: GraphQLSchema, routes: readonly Route[]): OpenApiDocument {
  const records = new Records();
  for (const [name, body] of Object.entries(failureBodies)) records.name(name, body);
  const paths = pathsOf(schema, routes, records);
  return {
    openapi: "3.1.0",
    info: { title: "Drover REST v1", version: "1", description: ABOUT },
    servers: [{ url: "/api/v1", description: "The service that serves this document" }],
    security: [{ apiToken: [] }],
    tags,
    paths,
    components: {
      schemas: records.schemas,
      responses: refusals,
      headers,
      securitySchemes: {
        apiToken: bearer("An API token, made by an operator and shown once"),
        agentToken: bearer("The token of one node's agent"),
      },
    },
  };
}

const bearer = (description: string) => ({ type: "http", scheme: "bearer", description }) as const;

function pathsOf(schema: GraphQLSchema, routes: readonly Route[], records: Records): OpenApiDocument["paths"] {
  const paths = new Map<string, PathItem>();
  const names = new Set<string>();
  for (const route of routes) {
    const operation = describeRoute(schema, route, records);
    if (names.has(operation.operationId)) throw new Error(`Two rows are called ${operation.operationId}`);
    names.add(operation.operationId);
    paths.set(route.path, { ...paths.get(route.path), ...itemOf(route.method, operation) });
  }
  paths.set(HEARTBEAT_PATH, { post: heartbeatOperation });
  return Object.fromEntries(paths);
}

const itemOf = (method: Route["method"], operation: DescribedOperation): PathItem => ({
  [method.toLowerCase()]: operation,
});
