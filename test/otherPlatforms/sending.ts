// Sends an answer in one of the ways in which HTTP lets it travel: framed, compressed, cut in pieces, over a connection that stays or goes.
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate as turn, setTimeout as pause } from "node:timers/promises";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { once, pick, type Dice } from "./dice.js";

/** What a host answered. */
export interface Answer {
  readonly status: number;
  readonly reason: string;
  readonly body: string;
}

/** How it travels. */
interface Way {
  readonly coding: "gzip" | "deflate" | "br" | null;
  readonly framing: "length" | "chunks" | "end of the connection";
  readonly pieces: number;
  readonly delayMs: number;
  /** After the answer, without a word of it; null: the connection stays. */
  readonly closesAfterMs: number | null;
}

const PLAIN: Way = { coding: null, framing: "length", pieces: 1, delayMs: 0, closesAfterMs: null };

const drawWay = (draw: Dice): Way => ({
  coding: once(draw, 4) ? pick(draw, ["gzip", "deflate", "br"] as const) : null,
  framing: pick(draw, ["length", "length", "chunks", "end of the connection"] as const),
  pieces: pick(draw, [1, 1, 2, 40]),
  delayMs: once(draw, 4) ? draw(20) : 0,
  closesAfterMs: once(draw, 3) ? draw(5) : null,
});

/** Requests so far of a connection: one that has got another is not resting, and no server ends it then. */
const requests = new WeakMap<Socket, number>();

/** To be told of every request before it is answered. */
export const arrived = (socket: Socket): unknown => requests.set(socket, (requests.get(socket) ?? 0) + 1);

/** @param draw null: as the platform does it */
export async function send(response: ServerResponse, answer: Answer, draw: Dice | null): Promise<void> {
  const way = draw === null ? PLAIN : drawWay(draw);
  if (way.delayMs > 0) await pause(way.delayMs);
  if (draw !== null && once(draw, 8)) response.writeEarlyHints({ link: "</x>; rel=preload" });
  const body = compressed(answer.body, way.coding);
  if (way.framing === "end of the connection") response.useChunkedEncodingByDefault = false;
  response.writeHead(answer.status, answer.reason, headersOf({ answer, way, length: body.length }, draw));
  const size = Math.max(1, Math.ceil(body.length / way.pieces));
  for (let at = 0; at < body.length; at += size) {
    response.write(body.subarray(at, at + size));
    await turn();
  }
  const { socket } = response;
  response.end();
  if (way.closesAfterMs !== null && socket !== null) await closeIfResting(socket, way.closesAfterMs);
}

async function closeIfResting(socket: Socket, afterMs: number): Promise<void> {
  const count = requests.get(socket);
  await pause(afterMs);
  if (requests.get(socket) === count) socket.end();
}

function compressed(body: string, coding: Way["coding"]): Buffer {
  if (coding === null || body === "") return Buffer.from(body);
  return { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }[coding](body);
}

function headersOf({ answer, way, length }: { answer: Answer; way: Way; length: number }, draw: Dice | null): string[] {
  const name = (header: string): string => (draw === null ? header : anyCase(header, draw));
  const closes = answer.status >= 400 || way.framing === "end of the connection" || (draw !== null && once(draw, 4));
  return [
    name("content-type"),
    "application/json;charset=UTF-8",
    ...(closes ? [name("connection"), "close"] : []),
    ...(way.framing === "length" && answer.status !== 204 ? [name("content-length"), String(length)] : []),
    ...(way.coding !== null && answer.body !== "" ? [name("content-encoding"), way.coding] : []),
    ...(draw !== null && once(draw, 2) ? [name("set-cookie"), "PVELangCookie=en; Path=/"] : []),
  ];
}

/** The same name in capitals, small letters or a mixture. */
const anyCase = (name: string, draw: Dice): string =>
  pick(draw, [name.toUpperCase(), name.toLowerCase(), name.replaceAll(/\b./g, (first) => first.toUpperCase())]);
