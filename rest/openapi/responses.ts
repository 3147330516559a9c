// Describes answers: the envelope of a success, and every refusal with its own body and headers.
import { httpStatusOf, type ErrorKind } from "../../src/errors/errors.js";
import { SHORT_BODIES } from "../answer.js";
import { WITH_BODY, type Route } from "../route.js";
import { nodeName } from "../kinds.js";
import type { Header, Reference, Response, Responses } from "./document.js";
import { recordOf, refTo, type JsonSchema } from "./jsonSchema.js";
import type { Payload } from "./payload.js";

/** Headers by name; the limit's only come with a token that has a rate limit. */
export const headers: Readonly<Record<string, Header>> = {
  "X-Request-Id": {
    description: "Names the request in the service's log: the caller's own X-Request-Id if it sent one, else a new one",
    required: true,
    schema: { type: "string" },
  },
  "X-RateLimit-Limit": {
    description: "Requests a minute that the token has; absent when it has no limit",
    schema: { type: "integer", minimum: 1 },
  },
  "X-RateLimit-Remaining": {
    description: "Requests left in this minute; absent when the token has no limit",
    schema: { type: "integer", minimum: 0 },
  },
  "X-RateLimit-Reset": {
    description: "Seconds to the next minute; absent when the token has no limit",
    schema: { type: "integer", minimum: 1, maximum: 60 },
  },
  "Retry-After": {
    description: "Seconds after which the request may be sent again; for 429 those to the next minute",
    required: true,
    schema: { type: "integer", minimum: 1, maximum: 60 },
  },
  "WWW-Authenticate": { description: "Bearer", required: true, schema: { type: "string" } },
};

/** The bodies of refusals. */
export const failureBodies: Readonly<Record<string, JsonSchema>> = {
  Failure: recordOf(
    {
      success: { type: "boolean", const: false },
      data: { type: "null" },
      error: { type: "string", description: "What is wrong" },
    },
    "The envelope of a failure.",
  ),
  ShortFailure: recordOf(
    { error: { type: "string", description: "What is wrong" } },
    "The short body of the token checks.",
  ),
};

const headerRefs = (...names: readonly string[]): Record<string, Reference> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const RATE = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];

const json = (schema: JsonSchema): Response["content"] => ({ "application/json": { schema } });

/** The envelope of a success. An agent's token has no rate limit. */
export function success({ data, meta }: Payload, description: string, limited = true): Response {
  const envelope = { success: { type: "boolean", const: true }, data, error: { type: "null" } };
  return {
    description,
    headers: headerRefs("X-Request-Id", ...(limited ? RATE : [])),
    content: json(recordOf(meta === undefined ? envelope : { ...envelope, meta })),
  };
}

interface Refusal {
  readonly status: number;
  readonly response: Response;
}

const MEANINGS: Readonly<Record<ErrorKind, string>> = {
  unauthenticated: "The token is missing, unknown, revoked or expired",
  forbidden: "The source address is not among the token's, or the host is outside its scope",
  notFound: "There is no such record",
  validation: "Something that was sent cannot be: the message names every offending field",
  conflict:
    "The state forbids it: host in maintenance, guest busy or a safety copy, VMID taken, IP zone full, no node with room",
  rateLimited: "The token's requests of this minute are used up",
  unavailable:
    "The service is busy, or its database cannot be reached or takes too long at present; before a change is sent again, look whether it was made",
  platform: "The hypervisor platform failed or could not be reached",
};

const OWN_HEADERS: Partial<Record<ErrorKind, readonly string[]>> = {
  unauthenticated: ["WWW-Authenticate"],
  rateLimited: ["Retry-After"],
  unavailable: ["Retry-After"],
};

function refusalOf(kind: ErrorKind): Refusal {
  const rate = kind === "unauthenticated" ? [] : RATE;
  return {
    status: httpStatusOf[kind],
    response: {
      description: MEANINGS[kind],
      headers: headerRefs("X-Request-Id", ...rate, ...(OWN_HEADERS[kind] ?? [])),
      content: json(refTo(SHORT_BODIES.has(kind) ? "ShortFailure" : "Failure")),
    },
  };
}

const bodyRefusal = (status: number, description: string): Refusal => ({
  status,
  response: { description, headers: headerRefs("X-Request-Id"), content: json(refTo("Failure")) },
});

const REFUSALS = {
  unauthenticated: refusalOf("unauthenticated"),
  forbidden: refusalOf("forbidden"),
  notFound: refusalOf("notFound"),
  conflict: refusalOf("conflict"),
  tooLarge: bodyRefusal(413, "The body is larger than 1 MiB"),
  unknownEncoding: bodyRefusal(415, "The body has a Content-Encoding that is not supported"),
  validation: refusalOf("validation"),
  rateLimited: refusalOf("rateLimited"),
  platform: refusalOf("platform"),
  unavailable: refusalOf("unavailable"),
} as const satisfies Readonly<Record<string, Refusal>>;

type RefusalName = keyof typeof REFUSALS;

/** Any other refusal: a request that is broken off, a fault of the service. */
const other: Response = bodyRefusal(500, "Anything else, such as a fault of the service").response;

/** All refusals by name, for the document's components. */
export const refusals: Readonly<Record<string, Response>> = {
  ...Object.fromEntries(Object.entries(REFUSALS).map(([name, { response }]) => [name, response])),
  other,
};

const refOf = (name: string): Reference => ({ $ref: `#/components/responses/${name}` });

/** Refers to refusals by their status; anything else is said to have the envelope too. */
export function refusedWith(names: readonly RefusalName[]): Responses {
  const byStatus = names.map((name) => [String(REFUSALS[name].status), refOf(name)] as const);
  return { ...Object.fromEntries(byStatus), default: refOf("other") };
}

const ALWAYS: readonly RefusalName[] = ["unauthenticated", "forbidden", "rateLimited", "unavailable"];

/** The refusals of a row, by the places of its values and by the row itself. */
export function refusalsOf({ method, fields, mayFailWith = [] }: Route): readonly RefusalName[] {
  const names: RefusalName[] = [...ALWAYS];
  if (fields.some((field) => field.in === "path")) names.push("notFound");
  if (WITH_BODY.has(method) || fields.some((field) => field.in !== "path" || field.kind === nodeName))
    names.push("validation");
  if (WITH_BODY.has(method)) names.push("tooLarge", "unknownEncoding");
  return [...names, ...mayFailWith];
}
