// Describes one row of the route table as an OpenAPI operation.
import type { GraphQLSchema } from "graphql";
import type { RequestField, Route } from "../route.js";
import type { DescribedOperation, Parameter, RequestBody } from "./document.js";
import { orNull, type JsonSchema } from "./jsonSchema.js";
import { operationOf, payloadOf } from "./payload.js";
import type { Records } from "./records.js";
import { refusalsOf, refusedWith, success } from "./responses.js";
import { tagOf } from "./tags.js";

const SUCCESSES: Readonly<Record<number, string>> = {
  200: "Done",
  201: "Made",
  202: "Queued: follow the job until it is done or failed",
};

/** @throws Error when the row's document has no name, or does not fit the schema */
export function describeRoute(schema: GraphQLSchema, route: Route, records: Records): DescribedOperation {
  const status = route.status ?? 200;
  const responses = {
    [status]: success(payloadOf(schema, route, records), SUCCESSES[status] ?? "Done"),
    ...refusedWith(refusalsOf(route)),
  };
  const parameters = route.fields.filter((field) => field.in !== "body").map(parameterOf);
  const body = route.fields.filter((field) => field.in === "body");
  return {
    operationId: operationIdOf(route),
    tags: [tagOf(route.path)],
    summary: route.summary,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body.length > 0 ? { requestBody: bodyOf(body) } : {}),
    responses,
  };
}

/** The name of the row's document, which is what the operation is called in the service's own words. */
function operationIdOf({ document, path }: Route): string {
  const name = operationOf(document).name?.value;
  if (name === undefined) throw new Error(`The document of ${path} has no name`);
  return name.charAt(0).toLowerCase() + name.slice(1);
}

const isRequired = ({ required, whenAbsent }: RequestField): boolean => required === true || whenAbsent !== undefined;

function parameterOf(field: RequestField): Parameter {
  return {
    name: field.name,
    in: field.in === "path" ? "path" : "query",
    required: field.in === "path" || isRequired(field),
    description: field.description,
    schema: field.kind.schema,
  };
}

/** Both forms of a body say the same; fields that the service does not know are ignored. */
function bodyOf(fields: readonly RequestField[]): RequestBody {
  const required = fields.filter(isRequired).map(({ name }) => name);
  const properties = Object.fromEntries(
    fields.map(({ name, kind, description, clearable }): [string, JsonSchema] => [
      name,
      { description, ...(clearable ? orNull(kind.schema) : kind.schema) },
    ]),
  );
  const schema: JsonSchema = { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
  return {
    required: required.length > 0,
    content: { "application/json": { schema }, "application/x-www-form-urlencoded": { schema } },
  };
}
