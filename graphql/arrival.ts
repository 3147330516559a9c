// Which credentials GraphQL accepts, and where a WebSocket connection carries its own.
import type { Accepted } from "../src/access/authenticate.js";
import type { SocketConnection } from "./clientSocket.js";

/** People and programs alike use GraphQL. */
export const ACCEPTED: readonly Accepted[] = ["apiToken", "session"];

/** The token of a connection comes in `connection_init`, `{"authorization": "Bearer …"}`, the name in any case. */
export function authorizationOf({ connectionParams }: SocketConnection): string | undefined {
  const [, authorization] =
    Object.entries(connectionParams ?? {}).find(([name]) => name.toLowerCase() === "authorization") ?? [];
  return typeof authorization === "string" ? authorization : undefined;
}
