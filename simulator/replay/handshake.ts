// Replays a recorded websocket handshake, and waits for the first frame where one came.
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import type { Duplex } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import type { Exchange } from "./recording.js";
import type { Answer, Outgoing } from "./send.js";
import { readAnswer } from "./send.js";

const frameWaitMs = 400;

/** @param first what the client says first, or nothing */
export async function shakeHands(outgoing: Outgoing, first: string | undefined): Promise<Answer> {
  const { port, method, path, headers } = outgoing;
  const options = { host: "127.0.0.1", port, method, path, headers, rejectUnauthorized: false };
  const met = await new Promise<{ message: IncomingMessage; socket: Duplex | null; head: Buffer }>(
    (resolve, reject) => {
      const sending = request(options, (message) => resolve({ message, socket: null, head: Buffer.alloc(0) }));
      sending.on("upgrade", (message, socket, head) => resolve({ message, socket, head }));
      sending.on("error", reject);
      sending.end();
    },
  );
  if (met.socket === null) return readAnswer(met.message);
  const frame = await firstFrame(met.socket, { head: met.head, first });
  met.socket.destroy();
  const { statusMessage: reason = "", headers: got } = met.message;
  return { status: 101, reason, contentType: undefined, connection: got.connection, body: "", frame };
}

async function firstFrame(
  socket: Duplex,
  { head, first }: { head: Buffer; first: string | undefined },
): Promise<string | null> {
  const chunks = [head];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  if (first !== undefined) socket.write(masked(first));
  const end = performance.now() + frameWaitMs;
  while (Buffer.concat(chunks).length < 2 && performance.now() < end) await wait(5);
  const bytes = Buffer.concat(chunks);
  const length = bytes.readUInt8(1);
  return bytes.length < 2 || (bytes.readUInt8(0) & 15) === 8 ? null : bytes.subarray(2, 2 + length).toString("utf8");
}

/** A short binary frame with an all-zero mask. */
function masked(text: string): Buffer {
  const payload = Buffer.from(text);
  const isShort = payload.length < 126;
  const header = isShort ? [0x82, 0x80 | payload.length] : [0x82, 0xfe, payload.length >> 8, payload.length & 255];
  return Buffer.concat([Buffer.from([...header, 0, 0, 0, 0]), payload]);
}

/** True for exchanges that ask for another protocol. */
export const isHandshake = ({ request_headers: headers }: Exchange): boolean => headers?.Upgrade !== undefined;
