// What the ports of a host have in common: where their requests go.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Identity } from "../api.js";
import type { Backend } from "./answerRequest.js";
import type { Interference } from "./interference.js";
import type { RequestJournal } from "./requestJournal.js";

/** A websocket request that has passed authentication. */
export interface SocketRequest {
  message: IncomingMessage;
  stream: Duplex;
  head: Buffer;
  identity: Identity;
  query: URLSearchParams;
}

/** What all ports of a host share. */
export interface HostEndpoint {
  backend: Backend;
  journal: RequestJournal;
  /** What is to go wrong with this request, or null. */
  interfere: (method: string, paths: readonly string[]) => Interference | null;
  /** False while the node is down: connections are then cut. */
  isOnline: (node: string) => boolean;
  /**
   * Takes over a websocket request that has been authenticated.
   * @throws ApiError when it goes nowhere
   */
  connectSocket: (request: SocketRequest) => void;
  /** Connects a console that was let through with the port it names. */
  connectConsole: (
    request: Pick<SocketRequest, "message" | "stream" | "head">,
    place: { node: string; port: number },
  ) => Promise<void>;
  /** Told of errors that no caller should be shown in detail. */
  reportFault: (error: unknown) => void;
}
