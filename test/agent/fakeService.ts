// A small HTTP server that speaks the service's side of agent protocol v1 by a script, and keeps what it was sent.
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { AgentConfig } from "../../agent/config.js";
import type { Heartbeat } from "../../agent/protocol.js";
import type { Certificate } from "./certificate.js";

interface Beat {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: Heartbeat;
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Jobs of a good answer; its other fields come from `data`. */
  readonly jobs?: readonly unknown[];
  readonly data?: Readonly<Record<string, unknown>>;
  /** The whole body instead. */
  readonly text?: string;
}

/** Answers the n-th heartbeat (from 0); null holds it for ever. */
export type Script = (beat: Beat, index: number) => Answer | null | Promise<Answer | null>;

export interface FakeService {
  readonly url: string;
  readonly beats: readonly Beat[];
  /** Resolves with the n-th heartbeat (from 0) when it has arrived. */
  beat(index: number): Promise<Beat>;
  close(): Promise<void>;
}

interface ServiceOptions {
  /** 0: any free one. */
  readonly port?: number;
  readonly tls?: Certificate | null;
}

const GOOD = { node: "pve1", interval_seconds: 1, required_version: "1.0.0" };

export async function startFakeService(
  script: Script,
  { port = 0, tls = null }: ServiceOptions = {},
): Promise<FakeService> {
  const beats: Beat[] = [];
  const waiting = new Map<number, (beat: Beat) => void>();
  const listener = (request: IncomingMessage, response: ServerResponse): void => void serve(request, response);
  const server = tls === null ? createServer(listener) : createSecureServer(tls, listener);
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const beat = await readBeat(request);
    const index = beats.push(beat) - 1;
    waiting.get(index)?.(beat);
    const answer = await script(beat, index);
    if (answer !== null) send(response, answer);
  };
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `${tls === null ? "http" : "https"}://127.0.0.1:${portOf(server.address())}`,
    beats,
    beat: async (index) => beats[index] ?? (await new Promise((resolve) => waiting.set(index, resolve))),
    close: async () => {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

export function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("the server does not listen on a port");
  return address.port;
}

/** A configuration for tests: the simulated platform unless the test gives another. */
export function testConfig(url: string, more: Partial<AgentConfig> = {}): AgentConfig {
  return { url, token: "agent-secret", platform: "control", control: "http://127.0.0.1:9", node: "pve1", ...more };
}

async function readBeat(request: IncomingMessage): Promise<Beat> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return { path: request.url ?? "", authorization: request.headers.authorization, body: JSON.parse(text) };
}

function send(response: ServerResponse, { status = 200, headers = {}, jobs = [], data = {}, text }: Answer): void {
  const body = text ?? JSON.stringify({ success: true, data: { ...GOOD, ...data, jobs }, error: null });
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(body);
}
