// The source's end of a migration tunnel: one websocket for commands, one more for every forwarded socket.
import { WebSocket } from "ws";
import { failure } from "../api.js";
import type { Endpoint } from "./endpoint.js";
import type { TunnelReply } from "./protocol.js";
import { replySchema } from "./protocol.js";

const noJson =
  'malformed JSON string, neither tag, array, object, number, string or atom, at character offset 0 (before "(end of string)")';
const source = "/usr/share/perl5/PVE/Tunnel.pm";

/** What a tunnel is opened with. */
interface TunnelAddress {
  endpoint: Endpoint;
  /** `/nodes/<node>/qemu/<vmid>`. */
  guestPath: string;
  ticket: string;
  socket: string;
}

/** Why the target did not accept a websocket, as its status line said it. */
export class TunnelRefused extends Error {}

/** An open tunnel. */
export class Tunnel {
  #waiting: ((reply: string) => void) | null = null;
  #broken = false;
  readonly #forwarded = new Set<WebSocket>();

  private constructor(
    private readonly address: TunnelAddress,
    private readonly control: WebSocket,
    private readonly print: (line: string) => void,
  ) {
    control.on("message", (data) => this.#answer(textOf(data)));
    control.on("close", () => this.#lose("exit code 1"));
    control.on("error", () => this.#lose("exit code 1"));
  }

  /**
   * Connects the command websocket.
   * @param print writes a line without a time stamp to the task's log
   * @throws TunnelRefused
   */
  static async open(address: TunnelAddress, print: (line: string) => void): Promise<Tunnel> {
    return new Tunnel(address, await openSocket(address, address.ticket, address.socket), print);
  }

  /**
   * Sends a command and waits for its reply.
   * @throws ApiError with the words of PVE::Tunnel when the tunnel is gone or the command fails
   */
  async command(cmd: string, parameters: Record<string, unknown> = {}): Promise<TunnelReply> {
    if (this.#broken) throw failure("writing to tunnel failed: broken pipe");
    const text = JSON.stringify({ ...parameters, cmd });
    const reply = await new Promise<string>((resolve) => {
      this.#waiting = resolve;
      this.control.send(text);
    });
    return this.#read(reply, text);
  }

  /**
   * Opens a websocket to a socket of the target; every one of them logs in anew.
   * @throws ApiError, TunnelRefused
   */
  async forward(socket: string): Promise<WebSocket> {
    const { ticket } = await this.command("ticket", { path: socket });
    const forwarded = await openSocket(this.address, String(ticket), socket);
    this.#forwarded.add(forwarded);
    return forwarded;
  }

  /** Ends the tunnel in order; with `cleanup` the target removes what it has made. */
  async finish(cleanup: boolean): Promise<void> {
    try {
      await this.command("quit", { cleanup: Number(cleanup) });
    } finally {
      this.#broken = true;
      this.#closeAll();
    }
  }

  /** What a signal does to the tunnel process. */
  interrupt(): void {
    this.#lose("interrupted by signal");
    this.#closeAll();
  }

  /** What waiting for the reply to a command ends with when the tunnel process was killed meanwhile. */
  failReply(cmd: string): never {
    return this.#failReply(JSON.stringify({ cmd }));
  }

  #answer(text: string): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.(text);
  }

  #lose(how: string): void {
    if (this.#broken) return;
    this.#broken = true;
    this.print(`CMD websocket tunnel died: command 'proxmox-websocket-tunnel' failed: ${how}`);
    this.print("");
    this.#answer("");
  }

  #closeAll(): void {
    for (const socket of [this.control, ...this.#forwarded]) socket.terminate();
  }

  #read(reply: string, text: string): TunnelReply {
    if (reply === "") return this.#failReply(text);
    const parsed = replySchema.parse(JSON.parse(reply));
    if (!parsed.success) throw failure(`error - tunnel command '${text}' failed - ${parsed.msg ?? ""}`);
    return parsed;
  }

  #failReply(text: string): never {
    const place = "<GEN1> line 4.";
    this.print(`Use of uninitialized value $res in concatenation (.) or string at ${source} line 120, ${place}`);
    throw failure(`failed to decode tunnel reply '' (command '${text}') - ${noJson} at ${source} line 119, ${place}`);
  }
}

/** What the source dies with when the tunnel program ended before it said its version. */
export const unopenedTunnel = `can't open tunnel - ${noJson} at ${source} line 312.`;

async function openSocket({ endpoint, guestPath }: TunnelAddress, ticket: string, socket: string): Promise<WebSocket> {
  const query = new URLSearchParams({ ticket, socket }).toString();
  const url = `wss://${endpoint.host}:${endpoint.port}/api2/json${guestPath}/mtunnelwebsocket?${query}`;
  if (!URL.canParse(url)) throw new TunnelRefused(`invalid URL '${url}'`);
  const websocket = new WebSocket(url, { rejectUnauthorized: false, headers: { Authorization: endpoint.apiToken } });
  await new Promise<void>((resolve, reject) => {
    websocket.once("open", resolve);
    websocket.once("unexpected-response", (_request, response) => {
      websocket.terminate();
      reject(new TunnelRefused(`HTTP/1.1 ${response.statusCode ?? 0} ${response.statusMessage ?? ""}`));
    });
    websocket.once("error", (error) => reject(new TunnelRefused(error.message)));
  });
  return websocket;
}

/** The text of a websocket message. */
export function textOf(data: WebSocket.RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return Buffer.isBuffer(data) ? data.toString("utf8") : Buffer.from(data).toString("utf8");
}
