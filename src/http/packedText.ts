// Serves a large text that is made on first request and cached compressed: most processes never serve these megabytes.
import type { RequestHandler } from "express";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { PAGE_HEADERS } from "./pageHeaders.js";

export interface ServedText {
  readonly text: Buffer;
  /** Of every answer, the type among them. */
  readonly headers: Readonly<Record<string, string>>;
}

interface Packed {
  readonly compressed: Buffer;
  readonly tag: string;
  readonly headers: ServedText["headers"];
}

/**
 * Answers GET and HEAD with the text, or 304 to a client with a current copy.
 * @param make makes the text; called again after a failure
 */
export function packedText(make: () => Promise<ServedText>): RequestHandler {
  let packed: Promise<Packed> | undefined;
  return async (request, response) => {
    packed ??= pack(make);
    const { compressed, tag, headers } = await packed.catch((error: unknown) => {
      packed = undefined;
      throw error;
    });
    response.set({
      ...PAGE_HEADERS,
      "Cache-Control": "no-cache",
      ETag: tag,
      ...headers,
    });
    response.vary("Accept-Encoding");
    if (request.headers["if-none-match"] === tag) {
      response.status(304).end();
      return;
    }
    const takesGzip = request.acceptsEncodings("gzip") === "gzip";
    if (takesGzip) response.set("Content-Encoding", "gzip");
    response.end(takesGzip ? compressed : await promisify(gunzip)(compressed));
  };
}

async function pack(make: () => Promise<ServedText>): Promise<Packed> {
  const { text, headers } = await make();
  const tag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
  return { compressed: await promisify(gzip)(text), tag, headers };
}
