// Reads a request's body: JSON or a form, at most 1 MiB.
import { raw } from "express";
import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Problem } from "../src/core/problem.js";
import type { RawValues } from "./variables.js";

const MOST_BYTES = 1024 * 1024;

/** What a body says, or why it says nothing. */
interface Body {
  readonly values: RawValues;
  readonly problems: readonly Problem[];
}

/** The body cannot be taken at all: broken off (400), too large (413), in an unknown encoding (415), or not what its encoding says (422). */
export class BodyRefused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
    this.name = "BodyRefused";
  }
}

/** Names the body in a problem of it as a whole. */
export const WHOLE_BODY = "body";

const NOTHING: RawValues = () => undefined;
const collect = raw({ type: () => true, limit: MOST_BYTES });

/**
 * Reads the whole body. JSON that is broken or no object is a problem of `body`; forms may repeat a field, or call it `name[]` or `name[0]`.
 * @throws BodyRefused
 */
export async function readBody(request: IncomingMessage & { body?: unknown }, response: ServerResponse): Promise<Body> {
  await new Promise<void>((resolve, reject) => {
    collect(request, response, (error: unknown) => (error === undefined ? resolve() : reject(refusalOf(error))));
  });
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  if (bytes.length === 0) return { values: NOTHING, problems: [] };
  const content = decoded(bytes);
  if (content === null) return unreadable("is not UTF-8");
  return readerOf(request.headers["content-type"] ?? "application/json")(content);
}

type Reader = (content: string) => Body;

function readerOf(contentType: string): Reader {
  const type = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type === "application/x-www-form-urlencoded") return readForm;
  return type === "application/json" || type.endsWith("+json") ? readJson : readUnknown;
}

const readUnknown: Reader = () => unreadable("must be application/json or application/x-www-form-urlencoded");

const readJson: Reader = (content) => {
  const parsed = parsedJson(content);
  if (parsed === undefined) return unreadable("is not valid JSON");
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    return unreadable("must be a JSON object");
  const members = new Map<string, unknown>(Object.entries(parsed));
  return { values: (name) => members.get(name), problems: [] };
};

/** A field that was left blank in a form was not filled in. */
const readForm: Reader = (content) => {
  if (!escapesUtf8(content)) return unreadable("is not UTF-8");
  const fields = Map.groupBy(new URLSearchParams(content), ([name]) => name.replace(LIST_MARK, ""));
  const values: RawValues = (name) => {
    const given = (fields.get(name) ?? []).map(([, value]) => value).filter((value) => value !== "");
    return given.length > 1 ? given : given[0];
  };
  return { values, problems: [] };
};

/** What stands between escapes is UTF-8 itself, so that each run of them has whole characters or broken ones. */
const escapesUtf8 = (form: string): boolean =>
  (form.match(/(?:%[0-9a-f]{2})+/gi) ?? []).every((run) => isUtf8(Buffer.from(run.replaceAll("%", ""), "hex")));

/** `ssh_keys[]` as browsers send lists, `ssh_keys[0]` as PHP's `http_build_query` does. */
const LIST_MARK = /\[\d*\]$/;

const unreadable = (message: string): Body => ({ values: NOTHING, problems: [{ field: WHOLE_BODY, message }] });

function decoded(bytes: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function parsedJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof Error) || !("status" in error) || typeof error.status !== "number") return error;
  // For the log: whoever sent it has left, or is told by the HTTP server what cannot be understood.
  if ("type" in error && error.type === "request.aborted") return new BodyRefused(400, "The body broke off");
  const message = REFUSALS.get(error.status);
  return message === undefined ? new BodyRefused(422, "body: cannot be read") : new BodyRefused(error.status, message);
}

const REFUSALS: ReadonlyMap<number, string> = new Map([
  [413, "The body is larger than 1 MiB"],
  [415, "The body has an encoding that is not supported"],
]);
