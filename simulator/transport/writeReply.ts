// Writes a reply with the headers, compression and connection handling of pveproxy.
import type { IncomingMessage, ServerResponse } from "node:http";
import { deflateSync, gzipSync } from "node:zlib";
import type { Reply } from "./reply.js";

const compressAbove = 1024;

/**
 * Sends the reply. Errors close the connection, successes keep it when asked and allowed.
 * @param keepAlive false when this connection has had its share of requests
 */
export function writeReply(request: IncomingMessage, response: ServerResponse, reply: Reply, keepAlive: boolean): void {
  if (response.destroyed || response.writableEnded) return;
  const keeps = keepAlive && reply.status < 400 && wantsKeepAlive(request);
  const date = new Date().toUTCString();
  response.statusCode = reply.status;
  response.statusMessage = reasonPhrase(reply.reason);
  const headers = {
    "Cache-Control": "max-age=0",
    Date: date,
    Pragma: "no-cache",
    Server: "pve-api-daemon/3.0",
    Expires: date,
  };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (reply.contentType !== undefined) response.setHeader("Content-Type", reply.contentType);
  response.setHeader("Connection", keeps ? "Keep-Alive" : "close");
  writeBody(request, response, reply);
}

function writeBody(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  if (!reply.body) {
    // Both removed: an empty answer has neither length nor chunks, it ends with the connection.
    response.removeHeader("Content-Length");
    response.removeHeader("Transfer-Encoding");
    response.end();
    return;
  }
  const { encoding, content } = compress(Buffer.from(reply.body), request.headers["accept-encoding"]);
  if (encoding !== null) response.setHeader("Content-Encoding", encoding);
  response.setHeader("Content-Length", content.length);
  response.end(content);
}

function compress(
  content: Buffer,
  accepted: string | string[] | undefined,
): { encoding: string | null; content: Buffer } {
  const accepts = String(accepted ?? "");
  if (content.length <= compressAbove) return { encoding: null, content };
  if (accepts.includes("gzip")) return { encoding: "gzip", content: gzipSync(content) };
  if (accepts.includes("deflate")) return { encoding: "deflate", content: deflateSync(content) };
  return { encoding: null, content };
}

function wantsKeepAlive(request: IncomingMessage): boolean {
  const { connection } = request.headers;
  return connection === undefined ? request.httpVersion !== "1.0" : !/close/i.test(connection);
}

/** First line, as the bytes of its UTF-8 form, without what a status line cannot hold. */
function reasonPhrase(text: string): string {
  const line = text.split("\n", 1)[0] ?? "";
  return Buffer.from(line, "utf8")
    .toString("latin1")
    .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, " ");
}
