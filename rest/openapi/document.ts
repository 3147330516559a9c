// The form of an OpenAPI 3.1 document, as far as REST v1 needs it.
import type { JsonSchema } from "./jsonSchema.js";

export interface Reference {
  readonly $ref: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
}

export interface Header {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

export interface RequestBody {
  readonly required: boolean;
  readonly description?: string;
  readonly content: Content;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference>>;
  readonly content: Content;
}

export type Responses = Readonly<Record<string, Response | Reference>>;

/** Security schemes by name; each with no scopes. */
type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

export interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly SecurityRequirement[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Responses;
}

const METHODS = ["get", "post", "patch", "delete"] as const;

export type PathItem = { readonly [Method in (typeof METHODS)[number]]?: DescribedOperation };

interface SecurityScheme {
  readonly type: "http";
  readonly scheme: "bearer";
  readonly description: string;
}

export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly security: readonly SecurityRequirement[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  };
}

/** An operation together with where it is called. */
export interface DescribedCall {
  /** Upper case. */
  readonly method: string;
  /** Below `/api/v1`. */
  readonly path: string;
  readonly operation: DescribedOperation;
}

/** Every operation of the document, in its order. */
export function callsOf({ paths }: OpenApiDocument): readonly DescribedCall[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ method: method.toUpperCase(), path, operation }];
    }),
  );
}

/** The response itself, where the document refers to a common one. */
export function responseOf({ components }: OpenApiDocument, response: Response | Reference): Response {
  if (!("$ref" in response)) return response;
  const found = components.responses[response.$ref.replace("#/components/responses/", "")];
  if (found === undefined) throw new Error(`There is no response ${response.$ref}`);
  return found;
}
