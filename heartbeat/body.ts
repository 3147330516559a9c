// Reads the body of a heartbeat: directly if it comes as agents send it, else by Express' parsers.
import express from "express";
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { coerced, coercedForm } from "./coercion.js";

const MOST_BYTES = 1024 * 1024;
const json = express.json({ limit: MOST_BYTES });
const form = express.urlencoded({ limit: MOST_BYTES, extended: false });
const utf8 = new TextDecoder();

/** A body that cannot be read, with the HTTP status that says so. */
interface UnreadableBody {
  readonly status: 413 | 422;
  readonly problem: string;
}

/** What the sender said, its fields not checked yet. */
interface ReadBody {
  readonly said: unknown;
}

const TOO_LARGE: UnreadableBody = { status: 413, problem: "the body is larger than 1 MiB" };
const NO_JSON: UnreadableBody = { status: 422, problem: "the body is no JSON" };

/** Reads the whole body: JSON or a form of at most 1 MiB, compressed or not. */
export async function readBody(request: IncomingMessage, response: ServerResponse): Promise<ReadBody | UnreadableBody> {
  if (isAsAgentsSend(request)) return plainJson(arrivedBytes(request) ?? (await bytesOf(request)));
  try {
    const isForm = FORM.test(request.headers["content-type"] ?? "");
    const body = await readBy(isForm ? form : json, request, response);
    return { said: isForm && isObject(body) ? coercedForm(body) : coerced(body) };
  } catch (error) {
    return refusalOf(error);
  }
}

const FORM = /^application\/x-www-form-urlencoded *(?:;|$)/i;
const JSON_IN_UTF8 = /^application\/json *(?:; *charset="?utf-8"? *)?$/i;

/** Of a size that is told before, not compressed. */
function isAsAgentsSend({ headers }: IncomingMessage): boolean {
  return (
    headers["content-encoding"] === undefined &&
    Number(headers["content-length"]) <= MOST_BYTES &&
    JSON_IN_UTF8.test(headers["content-type"] ?? "")
  );
}

/**
 * The whole body if it is there already: most come in one packet with their head. Nobody waits for the end of the request that
 * follows it: to have it told costs more than the reading.
 */
function arrivedBytes(request: IncomingMessage): Uint8Array | null {
  const { readableLength, headers } = request;
  return readableLength > 0 && readableLength === Number(headers["content-length"]) ? request.read() : null;
}

/** @returns null when the sender left in the middle */
async function bytesOf(request: IncomingMessage): Promise<Uint8Array | null> {
  try {
    return await buffer(request);
  } catch (error) {
    if (!request.complete) return null;
    throw error;
  }
}

/** @param bytes null: the sender left in the middle */
function plainJson(bytes: Uint8Array | null): ReadBody | UnreadableBody {
  if (bytes === null) return NO_JSON;
  try {
    return { said: bytes.length === 0 ? {} : coerced(JSON.parse(utf8.decode(bytes))) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return NO_JSON;
    throw error;
  }
}

/** @throws what the reader refuses the body with; its `status` says why */
async function readBy(
  reader: typeof json,
  request: IncomingMessage & { body?: unknown },
  response: ServerResponse,
): Promise<unknown> {
  await new Promise<void>((resolve, reject) => {
    reader(request, response, (error: unknown) => (error === undefined ? resolve() : reject(error)));
  });
  return request.body;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** @throws what is no fault of the body */
function refusalOf(error: unknown): UnreadableBody {
  const status = error instanceof Error && "status" in error ? error.status : undefined;
  if (status === 413) return TOO_LARGE;
  if (status === 400 || status === 415) return NO_JSON;
  throw error;
}
