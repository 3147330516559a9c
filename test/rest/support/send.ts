// Sends a case's request.
import type { CaseAnswer, CaseRequest, TokenName } from "./case.js";
import type { RestService } from "./service.js";
import type { World } from "./world.js";

export async function send(service: RestService, world: World, request: CaseRequest): Promise<CaseAnswer> {
  const response = await fetch(service.base + request.path, {
    method: request.method,
    headers: { ...authorization(world, request.token), ...contentType(request), ...request.headers },
    ...bodyOf(request),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
}

function authorization({ tokens }: World, token: CaseRequest["token"] = "full"): Record<string, string> {
  if (token === null) return {};
  return { Authorization: isName(tokens, token) ? `Bearer ${tokens[token]}` : token };
}

const isName = (tokens: World["tokens"], token: string): token is TokenName => Object.hasOwn(tokens, token);

function contentType({ json, form }: CaseRequest): Record<string, string> {
  if (json !== undefined) return { "Content-Type": "application/json" };
  return form === undefined ? {} : { "Content-Type": "application/x-www-form-urlencoded" };
}

function bodyOf({ json, form, raw }: CaseRequest): { body?: string | Uint8Array<ArrayBuffer> } {
  if (json !== undefined) return { body: JSON.stringify(json) };
  if (form !== undefined) return { body: new URLSearchParams(form).toString() };
  return raw === undefined ? {} : { body: raw };
}
