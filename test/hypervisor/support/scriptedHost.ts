// An HTTPS server that answers as a test tells it, also wrongly, and records what arrived.
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server as NetServer } from "node:net";
import { generate } from "selfsigned";
import type { HostConnection } from "../../../src/hypervisor/connection.js";

/** One request as it arrived. */
export interface Arrival {
  readonly method: string;
  /** Without the query, as it was sent. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** What the server does: an answer, or a fault. */
export type Script =
  | { readonly data: unknown; readonly total?: number }
  | { readonly status: number; readonly reason?: string; readonly body?: unknown }
  | { readonly raw: (response: ServerResponse) => void }
  | "hang"
  | "drop";

/** Answers a request; called once for each, in the order of arrival. */
export type Play = (arrival: Arrival, index: number) => Script;

export interface ScriptedHost {
  readonly port: number;
  readonly fingerprint: string;
  readonly certificate: string;
  readonly arrivals: readonly Arrival[];
  /** TCP connections so far. */
  readonly connections: () => number;
  readonly connection: HostConnection;
  close(): Promise<void>;
}

const TOKEN = { kind: "token", tokenId: "panel", secret: "aaaaaaaa-0000-4000-8000-000000000001" } as const;

/** Made once: making keys is slow. */
export const identity = generate([{ name: "commonName", value: "pve1" }], {
  keyType: "ec",
  extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] }],
});

export async function startScriptedHost(play: Play, port = 0): Promise<ScriptedHost> {
  const { private: key, cert } = await identity;
  const arrivals: Arrival[] = [];
  let connections = 0;
  const server = createServer({ key, cert }, (request, response) => {
    void receive(request).then((arrival) => perform(play(arrival, arrivals.push(arrival) - 1), response));
  });
  server.on("connection", () => (connections += 1));
  const listening = await listen(server, port);
  const fingerprint = new X509Certificate(cert).fingerprint256;
  const connection = scriptedConnection(listening, fingerprint);
  const close = () => closeServer(server);
  return {
    port: listening,
    fingerprint,
    certificate: cert,
    arrivals,
    connections: () => connections,
    connection,
    close,
  };
}

/** Starts listening on this machine. @returns the port */
export async function listen(server: NetServer, port = 0): Promise<number> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
}

/** A token connection to a port of this machine. */
export const scriptedConnection = (port: number, tlsFingerprint: string | undefined): HostConnection => ({
  hostId: 1,
  name: "pvea",
  hostname: "127.0.0.1",
  port,
  user: "root@pam",
  credential: TOKEN,
  tlsFingerprint,
});

async function receive(request: IncomingMessage): Promise<Arrival> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const body = Buffer.concat(chunks).toString("utf8");
  const url = new URL(request.url ?? "/", "https://host");
  return {
    method: request.method ?? "",
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    form: Object.fromEntries(new URLSearchParams(body)),
    headers: request.headers,
    body,
  };
}

function perform(script: Script, response: ServerResponse): void {
  if (script === "hang") return;
  if (script === "drop") {
    response.socket?.destroy();
    return;
  }
  if ("raw" in script) return script.raw(response);
  const { status, reason, body } =
    "data" in script ? { status: 200, reason: "OK", body: script } : { reason: "", body: "", ...script };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, reason, {
    "content-length": Buffer.byteLength(text),
    ...(status >= 400 ? { connection: "close" } : {}),
  });
  response.end(text);
}

/** Ends its connections too. */
export async function closeServer(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, "close");
}
