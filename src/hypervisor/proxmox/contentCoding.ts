// Decompresses answers: none is asked for, but a proxy may compress all the same.
import { promisify } from "node:util";
import { brotliDecompress, unzip } from "node:zlib";
import type { AnswerBound } from "./answerBounds.js";
import { tooLarge } from "./answerGauge.js";
import { KnownFault } from "./fault.js";

const undoGzip = promisify(unzip);
const undoBrotli = promisify(brotliDecompress);

/** @returns the coding of a `content-encoding` header; null for a plain body. */
export function codingOf(header: string | string[] | undefined): string | null {
  const coding = String(header ?? "")
    .trim()
    .toLowerCase();
  return coding === "" || coding === "identity" ? null : coding;
}

/** @throws BeyondBounds; KnownFault when it is compressed otherwise than it says, or in an unknown way */
export async function plain(body: Buffer, coding: string, bound: AnswerBound): Promise<Buffer> {
  const limits = { maxOutputLength: bound.bytes };
  try {
    if (coding === "br") return await undoBrotli(body, limits);
    if (["gzip", "x-gzip", "deflate"].includes(coding)) return await undoGzip(body, limits);
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(bound);
    throw new KnownFault("its answer is not compressed as it says");
  }
  throw new KnownFault("its answer is compressed in an unknown way, which was not asked for");
}
