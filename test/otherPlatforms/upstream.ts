// Asks the host behind a proxy, and remembers its answers where a test wants them repeated.
import { Agent, request as askHttps } from "node:https";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { HostConnection } from "../../src/hypervisor/connection.js";
import type { Answer } from "./sending.js";

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** The host behind the proxy. */
export class Upstream {
  readonly #agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  readonly #target: HostConnection;
  readonly #memory: Map<string, Answer> | undefined;
  #closed = false;

  /** @param memory answers to questions are remembered here, and given again as they were: for every proxy with the same memory. */
  constructor(target: HostConnection, memory: Map<string, Answer> | undefined) {
    this.#target = target;
    this.#memory = memory;
  }

  close(): void {
    this.#closed = true;
    this.#agent.destroy();
  }

  async ask(asked: Asked, body: Buffer): Promise<Answer> {
    const remembered = asked.method === "GET" ? this.#memory?.get(asked.url) : undefined;
    if (remembered !== undefined) return remembered;
    const answer = await this.#send(asked, body);
    if (asked.method === "GET") this.#memory?.set(asked.url, answer);
    return answer;
  }

  /** Waits for the task that an answer names, so that it ends before it is first asked for. */
  async untilEnded({ body }: Answer, headers: IncomingHttpHeaders): Promise<void> {
    const [upid, node] = /UPID:([^:]+):[^"]+:/.exec(body) ?? [];
    if (upid === undefined || node === undefined) return;
    const { authorization, cookie } = headers;
    const url = `/api2/json/nodes/${node}/tasks/${encodeURIComponent(upid)}/status`;
    while (!this.#closed) {
      const { body: state } = await this.#send({ method: "GET", url, headers: { authorization, cookie } }, Buffer.of());
      if (!state.includes('"running"')) return;
      await pause(5);
    }
  }

  async #send({ method, url, headers }: Asked, body: Buffer): Promise<Answer> {
    const { hostname, port } = this.#target;
    const own = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
    const wanted = {
      hostname,
      port,
      method,
      path: url,
      agent: this.#agent,
      headers: { ...own, connection: "keep-alive" },
    };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      askHttps(wanted, resolve).on("error", reject).end(body);
    });
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(Buffer.from(chunk));
    const text = Buffer.concat(chunks).toString("utf8");
    return { status: answer.statusCode ?? 0, reason: answer.statusMessage ?? "", body: text };
  }
}
