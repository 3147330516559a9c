// Reads the body of a request: the one reader of every entrance, bounded in bytes and in time.
import { raw } from "express";
import type { IncomingMessage, ServerResponse } from "node:http";

/** Largest body, unpacked. */
export const MOST_BODY_BYTES = 1024 * 1024;
/** Longest time that a body may take: 1 MiB at 35 KB a second. */
const LONGEST_MS = 30_000;

/** HTTP status and message of each reason for which a body is refused. */
const REFUSALS = {
  brokenOff: [400, "The body broke off"],
  slow: [408, "The body arrives too slowly"],
  tooLarge: [413, "The body is larger than 1 MiB"],
  unknownEncoding: [415, "The body has an encoding that is not supported"],
  unreadable: [422, "body: cannot be read"],
} as const satisfies Record<string, readonly [status: number, message: string]>;

/** A body that cannot be taken at all, whatever it was to say. */
export class BodyRefused extends Error {
  readonly status: number;

  constructor(reason: keyof typeof REFUSALS) {
    const [status, message] = REFUSALS[reason];
    super(message);
    this.name = "BodyRefused";
    this.status = status;
  }
}

const collect = raw({ type: () => true, limit: MOST_BODY_BYTES });

/** How a body is bounded besides its size. */
interface BodyBounds {
  /** Called with the bytes that are held from now on, as they come. @throws what the body is refused with */
  readonly hold: (bytes: number) => void;
  readonly longestMs?: number;
}

/** @returns the whole body, unpacked; empty when there is none. @throws BodyRefused, and what `hold` throws */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  bounds: BodyBounds,
): Promise<Buffer> {
  const arrived = arrivedBody(request);
  if (arrived === null) return arrivingBody(request, response, bounds);
  bounds.hold(arrived.length);
  return arrived;
}

/**
 * The whole body if it is there already: most come in one packet with their head. The end of such a request is not waited for: that
 * costs more than the reading.
 */
function arrivedBody(request: IncomingMessage): Buffer | null {
  const { readableLength, headers } = request;
  const isWhole = readableLength > 0 && readableLength === Number(headers["content-length"]);
  if (!isWhole || readableLength > MOST_BODY_BYTES || headers["content-encoding"] !== undefined) return null;
  const bytes: unknown = request.read();
  return Buffer.isBuffer(bytes) ? bytes : null;
}

function arrivingBody(
  request: IncomingMessage & { body?: unknown },
  response: ServerResponse,
  { hold, longestMs = LONGEST_MS }: BodyBounds,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new BodyRefused("slow")), longestMs);
    const holdIfRoom = (bytes: number): void => {
      try {
        hold(bytes);
      } catch (error) {
        reject(error);
      }
    };
    let received = 0;
    request.on("data", ({ length }: Buffer) => {
      received += length;
      if (received <= MOST_BODY_BYTES) holdIfRoom(length);
    });
    collect(request, response, (error: unknown) => {
      clearTimeout(timer);
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      if (error !== undefined) return reject(refusalOf(error));
      if (isBrokenOff(request)) return reject(new BodyRefused("brokenOff"));
      if (body.length > received) holdIfRoom(body.length - received);
      resolve(body);
    });
  });
}

/** body-parser takes a body for an empty one when the connection ended before it was read. */
const isBrokenOff = ({ headers, complete }: IncomingMessage): boolean =>
  !complete && (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0);

/** @returns the refusal by what body-parser says; a fault of the service itself as it is */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof Error) || !("status" in error)) return error;
  if ("type" in error && error.type === "request.aborted") return new BodyRefused("brokenOff");
  if (error.status === 413) return new BodyRefused("tooLarge");
  return new BodyRefused(error.status === 415 ? "unknownEncoding" : "unreadable");
}
