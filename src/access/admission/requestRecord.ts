// One request as the request log shows it: when it came, from where, with which token, and how it was answered.
import type { KnownToken } from "../authenticate.js";
import type { LoggedRequest } from "../requestLog.js";

/** What is known of a request before anything of it is read. */
interface RequestOrigin {
  readonly at: Date;
  /** The caller's address as `sourceIp` finds it. */
  readonly sourceIp: string;
  /** The HTTP method, or another word for what is no request of its own. */
  readonly method: string;
  /** Without the query string, which may contain secrets. */
  readonly path: string;
}

export class RequestRecord implements RequestOrigin {
  readonly at: Date;
  readonly sourceIp: string;
  readonly method: string;
  readonly path: string;
  /** Monotonic milliseconds at which the request came. */
  readonly begin = performance.now();
  /** The API token that the request came with; null while none is known. */
  token: KnownToken | null = null;

  constructor({ at, sourceIp, method, path }: RequestOrigin) {
    this.at = at;
    this.sourceIp = sourceIp;
    this.method = method;
    this.path = path;
  }

  /** The row of the request log for an answer with this status, given now. */
  row(status: number): LoggedRequest {
    const { at, sourceIp, method, path, token } = this;
    const durationMs = performance.now() - this.begin;
    return {
      at,
      sourceIp,
      method,
      path,
      status,
      durationMs,
      tokenId: token?.id ?? null,
      tokenName: token?.name ?? null,
    };
  }
}
