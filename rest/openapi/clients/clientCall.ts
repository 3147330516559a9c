// What a client offers for each operation of the document that an API token may call.
import { callsOf, responseOf, type OpenApiDocument, type Operation, type Parameter } from "../document.js";
import type { JsonSchema } from "../jsonSchema.js";

export interface ClientCall {
  readonly name: string;
  readonly method: string;
  /** Below `/api/v1`. */
  readonly path: string;
  readonly summary: string;
  readonly inPath: readonly Parameter[];
  /** An object; null when the operation takes no query. */
  readonly query: JsonSchema | null;
  /** An object; null when the operation takes no body. */
  readonly body: JsonSchema | null;
  /** The payload of a success. */
  readonly data: JsonSchema;
  /** Whether the answer is a page of a list. */
  readonly isPage: boolean;
}

/** Every operation but those of other tokens. */
export function clientCalls(document: OpenApiDocument): readonly ClientCall[] {
  return callsOf(document)
    .filter(({ operation: { security = document.security } }) => security.some((scheme) => "apiToken" in scheme))
    .map(({ method, path, operation }) => {
      const envelope = successOf(document, operation).properties ?? {};
      const parameters = operation.parameters ?? [];
      const query = parameters.filter((parameter) => parameter.in === "query");
      return {
        name: operation.operationId,
        method,
        path,
        summary: operation.summary,
        inPath: parameters.filter((parameter) => parameter.in === "path"),
        query: query.length === 0 ? null : objectOf(query),
        body: operation.requestBody?.content["application/json"]?.schema ?? null,
        data: envelope["data"] ?? {},
        isPage: "meta" in envelope,
      };
    });
}

function successOf(document: OpenApiDocument, { operationId, responses }: Operation): JsonSchema {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? [];
  const schema = success && responseOf(document, success).content["application/json"]?.schema;
  if (schema === undefined) throw new Error(`${operationId} has no success`);
  return schema;
}

const objectOf = (parameters: readonly Parameter[]): JsonSchema => ({
  type: "object",
  properties: Object.fromEntries(parameters.map(({ name, description, schema }) => [name, { ...schema, description }])),
  required: parameters.filter(({ required }) => required).map(({ name }) => name),
});

/** Whether nothing of it must be sent. */
export const isOptional = ({ required = [] }: JsonSchema): boolean => required.length === 0;

/** `job_id` as `jobId`. */
export const camelCase = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
