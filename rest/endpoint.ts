// Carries out a request whose row is found: reads its values, runs its document, answers.
import type { GraphQLSchema } from "graphql";
import type { IncomingRequest } from "../src/access/admission/incomingRequest.js";
import type { Context } from "../src/context/context.js";
import { ofFurtherFields, type Problem } from "../src/core/problem.js";
import { validationError } from "../src/errors/errors.js";
import { success, type Answer } from "./answer.js";
import { readFields, WHOLE_BODY } from "./body.js";
import { compileOperation, type Operation } from "./operation.js";
import { compileRawJson } from "./rawJson.js";
import { WITH_BODY, type RequestField, type Route, type Variables } from "./route.js";
import { readPath, readValues, type RawValues } from "./variables.js";

/** A row whose documents are compiled and whose fields are sorted by where they come from. */
export interface Endpoint {
  readonly route: Route;
  readonly operation: Operation;
  readonly subject: Operation | null;
  readonly path: readonly RequestField[];
  readonly query: readonly RequestField[];
  readonly body: readonly RequestField[];
  /** Variables that are input objects. */
  readonly inputs: readonly string[];
}

/** One request as its endpoint sees it. */
interface EndpointRequest {
  readonly context: Context;
  readonly pathValues: RawValues;
  /** Without the question mark; empty when there is none. */
  readonly queryString: string;
  readonly incoming: IncomingRequest;
}

/** @throws Error at start when a document of the row does not fit the schema */
export function compileEndpoint(schema: GraphQLSchema, route: Route): Endpoint {
  const from = (place: RequestField["in"]): RequestField[] => route.fields.filter((field) => field.in === place);
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
  return request.incoming.inSlot(() => answerComplete(endpoint, request.context, { variables, problems }));
}

async function answerComplete(endpoint: Endpoint, context: Context, input: Input): Promise<Answer> {
  if (input.problems.length > 0) await refuseInput(endpoint, context, input);
  const outcome = await endpoint.operation(context, input.variables);
  if ("error" in outcome) throw outcome.error;
  return success(payloadOf(endpoint.route, outcome.data), endpoint.route.status);
}

async function readInput(
  { query, body, route }: Endpoint,
  { queryString, incoming }: EndpointRequest,
  variables: Variables,
): Promise<readonly Problem[]> {
  const inQuery = query.length === 0 ? [] : readValues(query, queryValues(queryString), variables);
  if (!WITH_BODY.has(route.method)) return inQuery;
  const sent = readFields(await incoming.readBody(), incoming.request.headers["content-type"]);
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

/** What a complete request says. */
interface Input {
  readonly variables: Variables;
  readonly problems: readonly Problem[];
}

/** A record that is not there is said before what is wrong with the input. */
async function refuseInput({ route, subject }: Endpoint, context: Context, refused: Input): Promise<never> {
  const outcome = await subject?.(context, refused.variables);
  if (outcome !== undefined && "error" in outcome) throw outcome.error;
  throw validationError([...refused.problems, ...problemsBeside(route, refused)]);
}

/** What else is wrong; of a body that cannot be read at all there is nothing more to say. */
function problemsBeside({ problems: rules }: Route, { problems, variables }: Input): readonly Problem[] {
  if (rules === undefined || problems.some(({ field }) => field === WHOLE_BODY)) return [];
  return ofFurtherFields(rules(variables), problems);
}

function payloadOf(route: Route, data: Readonly<Record<string, unknown>>): unknown {
  const payload = "data" in data ? data["data"] : data;
  return route.payload === undefined ? payload : route.payload(payload);
}
