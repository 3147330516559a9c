// Carries out a request whose row is found: reads its values, runs its document, answers.
import type { GraphQLSchema } from "graphql";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context } from "../src/context/context.js";
import { ofFurtherFields, type Problem } from "../src/core/problem.js";
import { validationError } from "../src/errors/errors.js";
import { success, type Answer } from "./answer.js";
import { readBody, WHOLE_BODY } from "./body.js";
import { compileOperation, type Operation } from "./operation.js";
import { compileRawJson } from "./rawJson.js";
import type { Field, Route } from "./route.js";
import { readPath, readValues, type RawValues, type Variables } from "./variables.js";

/** A row whose documents are compiled and whose fields are sorted by where they come from. */
export interface Endpoint {
  readonly route: Route;
  readonly operation: Operation;
  readonly subject: Operation | null;
  readonly path: readonly Field[];
  readonly query: readonly Field[];
  readonly body: readonly Field[];
  /** Variables that are input objects. */
  readonly inputs: readonly string[];
}

/** One request as its endpoint sees it. */
interface EndpointRequest {
  readonly context: Context;
  readonly pathValues: RawValues;
  /** Without the question mark; empty when there is none. */
  readonly queryString: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** @throws Error at start when a document of the row does not fit the schema */
export function compileEndpoint(schema: GraphQLSchema, route: Route): Endpoint {
  const from = (place: Field["in"]): Field[] => route.fields.filter((field) => field.in === place);
  return {
    route,
    operation: (route.rawJson ? compileRawJson : compileOperation)(schema, route.document),
    subject: route.subject === undefined ? null : compileOperation(schema, route.subject),
    path: from("path"),
    query: from("query"),
    body: from("body"),
    inputs: [...new Set(route.fields.flatMap(({ variable }) => /^(.+)\./.exec(variable)?.[1] ?? []))],
  };
}

/** @returns null when the path's values cannot be those of any record. @throws what the operation fails with; BodyRefused */
export async function runEndpoint(endpoint: Endpoint, request: EndpointRequest): Promise<Answer | null> {
  const variables: Variables = Object.fromEntries(endpoint.inputs.map((name) => [name, {}]));
  if (!readPath(endpoint.path, request.pathValues, variables)) return null;
  const problems = await readInput(endpoint, request, variables);
  if (problems.length > 0) await refuseInput(endpoint, request.context, { variables, problems });
  const outcome = await endpoint.operation(request.context, variables);
  if ("error" in outcome) throw outcome.error;
  return success(payloadOf(endpoint.route, outcome.data), endpoint.route.status);
}

async function readInput(
  { query, body, route }: Endpoint,
  { queryString, request, response }: EndpointRequest,
  variables: Variables,
): Promise<readonly Problem[]> {
  const inQuery = query.length === 0 ? [] : readValues(query, queryValues(queryString), variables);
  if (route.method !== "POST") return inQuery;
  const sent = await readBody(request, response);
  if (sent.problems.length > 0) return [...inQuery, ...sent.problems];
  return [...inQuery, ...readValues(body, sent.values, variables)];
}

const NO_VALUES: RawValues = () => undefined;

/** A parameter that is sent twice is a list, which none of them is: neither of two answers would be the right one. */
function queryValues(queryString: string): RawValues {
  if (queryString === "") return NO_VALUES;
  const parameters = new URLSearchParams(queryString);
  return (name) => {
    const given = parameters.getAll(name);
    return given.length > 1 ? given : given[0];
  };
}

interface Refused {
  readonly variables: Variables;
  readonly problems: readonly Problem[];
}

/** A record that is not there is said before what is wrong with the input. */
async function refuseInput({ route, subject }: Endpoint, context: Context, refused: Refused): Promise<never> {
  const outcome = await subject?.(context, refused.variables);
  if (outcome !== undefined && "error" in outcome) throw outcome.error;
  throw validationError([...refused.problems, ...problemsBeside(route, refused)]);
}

/** What else is wrong; of a body that cannot be read at all there is nothing more to say. */
function problemsBeside({ problems: rules }: Route, { problems, variables }: Refused): readonly Problem[] {
  if (rules === undefined || problems.some(({ field }) => field === WHOLE_BODY)) return [];
  return ofFurtherFields(rules(variables), problems);
}

function payloadOf(route: Route, data: Readonly<Record<string, unknown>>): unknown {
  const payload = "data" in data ? data["data"] : data;
  return route.payload === undefined ? payload : route.payload(payload);
}
