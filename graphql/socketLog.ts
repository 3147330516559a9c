// Puts into the request log what comes over WebSocket: each connection, and each operation when it is let in or refused.
import type { KnownToken } from "../src/access/authenticate.js";
import type { RequestLog } from "../src/access/requestLog.js";
import type { Services } from "../src/context.js";

/** What stands in the log as method: connections are the GET that they begin with, operations have no HTTP method. */
export type SocketMethod = "GET" | "WS";

/** To be called when it is decided, with the status that HTTP would have for the decision. */
export type Conclude = (token: KnownToken | null, status: number) => void;

interface SocketLogParts {
  readonly services: Pick<Services, "clock">;
  readonly requestLog: RequestLog;
  readonly path: string;
}

export class SocketLog {
  readonly #parts: SocketLogParts;

  constructor(parts: SocketLogParts) {
    this.#parts = parts;
  }

  /** Begins a row. A subscription's duration is the time until it was let in, since it has no end of its own. */
  begin(method: SocketMethod, sourceIp: string): Conclude {
    const { services, requestLog, path } = this.#parts;
    const at = services.clock.now();
    const begin = performance.now();
    return (token, status) =>
      requestLog.record({
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
}
