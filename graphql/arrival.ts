// Which credentials GraphQL accepts, and where a WebSocket connection carries its own.
import type { Accepted, Presented } from "../src/access/authenticate.js";
import type { SocketConnection } from "./clientSocket.js";

/** People and programs alike use GraphQL. */
export const ACCEPTED: readonly Accepted[] = ["apiToken", "session", "cookie"];

/**
 * The token of a connection comes in `connection_init`, `{"authorization": "Bearer …"}`, the name in any case; without one, the cookie
 * counts that came with the handshake.
 */
export function presentedBy({ connectionParams, extra: { cookie } }: SocketConnection): Presented {
  const [, authorization] =
    Object.entries(connectionParams ?? {}).find(([name]) => name.toLowerCase() === "authorization") ?? [];
  return { authorization: typeof authorization === "string" ? authorization : undefined, cookie };
}
