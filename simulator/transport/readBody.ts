// Reads a request body of known length and turns it, with the query, into parameters.
import type { IncomingMessage } from "node:http";
import { parseJsonBody } from "./jsonBody.js";
import type { Parameters } from "./urlEncoding.js";
import { decodeUrlEncoded } from "./urlEncoding.js";
import type { TransportTraits } from "./traits.js";

/** Collects the whole body. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

/** Media type without its parameters. */
export function mediaType(header: string | undefined): string | undefined {
  return header === undefined || header === "" ? undefined : header.split(/\s*[;,]\s*/, 1)[0];
}

/** What `mergeParameters` puts together. */
interface ParameterSource {
  method: string;
  mediaType: string | undefined;
  body: string;
  query: string;
}

/**
 * Query merged over body (bodies only count for POST and PUT); `_dc` is dropped.
 * @throws JsonBodyError
 */
export function mergeParameters(source: ParameterSource, traits: TransportTraits): Parameters {
  const decode = traits.listsOfParameters ? decodeUrlEncoded : (text: string) => joinLists(decodeUrlEncoded(text));
  const parameters = { ...bodyParameters(source, decode), ...decode(source.query) };
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => name !== "_dc"));
}

function bodyParameters(source: ParameterSource, decode: (text: string) => Parameters): Parameters {
  if (source.method !== "POST" && source.method !== "PUT") return {};
  return source.mediaType === "application/json" ? parseJsonBody(source.body) : decode(source.body);
}

/** Releases before 8.0 joined the values of a repeated parameter. */
function joinLists(parameters: Parameters): Parameters {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, joinList(value)]));
}

function joinList(value: unknown): unknown {
  return Array.isArray(value) ? value.join("\0") : value;
}
