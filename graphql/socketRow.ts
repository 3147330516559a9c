// Makes the rows of the request log for WebSocket connections and for operations over them.
import type { KnownToken } from "../src/access/authenticate.js";
import type { LoggedRequest } from "../src/access/requestLog.js";
import type { Services } from "../src/context/context.js";

/** What stands in the log as method: connections are the GET that they begin with, operations have no HTTP method. */
type SocketMethod = "GET" | "WS";

/** To be called when it is decided, with the status that HTTP would have for the decision. */
export type RowOf = (token: KnownToken | null, status: number) => LoggedRequest;

interface RowParts {
  readonly services: Pick<Services, "clock">;
  readonly path: string;
}

/** Begins a row. A subscription's duration is the time until it was let in, since it has no end of its own. */
export function beginRow({ services, path }: RowParts, method: SocketMethod, sourceIp: string): RowOf {
  const at = services.clock.now();
  const begin = performance.now();
  return (token, status) => ({
    at,
    tokenId: token?.id ?? null,
    tokenName: token?.name ?? null,
    sourceIp,
    method,
    path,
    status,
    durationMs: performance.now() - begin,
  });
}
