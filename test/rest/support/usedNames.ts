// Finds what an example without types uses of REST v1 that the OpenAPI document does not have.
import { callsOf, responseOf, type DescribedCall, type OpenApiDocument } from "../../../rest/openapi/document.js";
import type { JsonSchema } from "../../../rest/openapi/jsonSchema.js";
import { isCalled } from "./description.js";

/** How a language writes what is looked for. */
interface Language {
  /** Where a function begins or ends. */
  readonly functions: RegExp;
  /** Method and path of a request. */
  readonly request: RegExp;
  /** A field that is sent or read. */
  readonly field: RegExp;
  /** A value within a path. */
  readonly value: RegExp;
}

export const SHELL: Language = {
  functions: /^(?=\w+\(\) \{)|^\}$/m,
  request: /\bcall (GET|POST|PATCH|DELETE) "(\/(?:\$\([^)]*\)|[^"])*)"/g,
  field: /(?<=(?:^|[^\w"$.])(?:\.[a-z_]+)*)\.([a-z_]+)\b|[{,]\s*([a-z_]+)(?=[:,}])/g,
  value: /\$\([^)]*\)|\$\w+/g,
};

export const PHP: Language = {
  functions: /(?=function )/,
  request: /->call\('(GET|POST|PATCH|DELETE)', "(\/[^"]*)"/g,
  field: /'([a-z_]+)'(?= =>|\])/g,
  value: /\$\w+/g,
};

export interface Used {
  /** `GET /hosts` and so on, each request that the example makes. */
  readonly requests: readonly string[];
  /** What the document does not have. */
  readonly unknown: readonly string[];
}

/** A field belongs to one of the requests of its function. */
export function usedNames(example: string, language: Language, document: OpenApiDocument): Used {
  const parts = example.split(language.functions).map((part) => usedIn(part, language, document));
  return { requests: parts.flatMap(({ requests }) => requests), unknown: parts.flatMap(({ unknown }) => unknown) };
}

function usedIn(part: string, { request, field, value }: Language, document: OpenApiDocument): Used {
  const asked = [...part.matchAll(request)].map(([, method = "", path = ""]) => ({
    method,
    path: path.replaceAll(value, "1"),
  }));
  if (asked.length === 0) return { requests: [], unknown: [] };
  const called = asked.map((each) => ({ each, call: callsOf(document).find((call) => isCalled(call, each)) }));
  const known = new Set(called.flatMap(({ call }) => (call === undefined ? [] : namesOf(call, document))));
  const fields = [...part.matchAll(field)].map(([, first, second]) => first ?? second ?? "");
  const inQueries = asked.flatMap(({ path }) => [...new URL(path, "http://x").searchParams.keys()]);
  return {
    requests: called.flatMap(({ call }) => (call === undefined ? [] : `${call.method} ${call.path}`)),
    unknown: [
      ...called.flatMap(({ each, call }) => (call === undefined ? `${each.method} ${each.path}` : [])),
      ...[...fields, ...inQueries].filter((name) => !known.has(name)),
    ],
  };
}

/** Every name that may stand in the operation's request, or in the answer to one that succeeds. */
function namesOf({ operation }: DescribedCall, document: OpenApiDocument): readonly string[] {
  const { parameters = [], requestBody, responses } = operation;
  const answers = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  const contents = [requestBody?.content ?? {}, ...answers.map(([, answer]) => responseOf(document, answer).content)];
  const schemas = contents.flatMap((content) => Object.values(content).map(({ schema }) => schema));
  return [...parameters.map(({ name }) => name), ...schemas.flatMap((schema) => namesIn(schema, document))];
}

function namesIn(schema: JsonSchema, document: OpenApiDocument): readonly string[] {
  const { $ref = "", properties = {}, items, anyOf = [] } = schema;
  const referred = document.components.schemas[$ref.replace("#/components/schemas/", "")];
  const inside = [referred, items, ...anyOf, ...Object.values(properties)].filter((each) => each !== undefined);
  return [...Object.keys(properties), ...inside.flatMap((each) => namesIn(each, document))];
}
