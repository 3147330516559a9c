// Says how a transport hands a request to the simulated platform and what it gets back.

/** Who is asking, once credentials have been verified. */
export interface Identity {
  /** User with realm: `root@pam`. */
  user: string;
  /** Token name without the user, or null for a ticket. */
  tokenId: string | null;
  /** What Proxmox VE writes into UPIDs and ACL rows: `root@pam!panel` or `root@pam`. */
  label: string;
  /** True when the request came with a ticket (a login), the only way to count as the superuser. */
  ticket: boolean;
}

export type ApiMethod = "GET" | "POST" | "PUT" | "DELETE";

/** One request below `/api2/json`, decoded by the transport. */
export interface ApiRequest {
  method: ApiMethod;
  /** Decoded segments joined with `/`, with a leading slash: what error texts show. */
  path: string;
  segments: readonly string[];
  /** Query merged over body; strings from forms, JSON values from JSON bodies. */
  parameters: Readonly<Record<string, unknown>>;
  /** Null only for requests without credentials, which reach nothing but the login. */
  identity: Identity | null;
  sourceAddress: string;
  /** Cluster member that was asked; the first node when left out. */
  answeringNode?: string;
}

/** What a success carries; `total` and `changes` stand beside `data` in the body. */
export interface ApiAnswer {
  data: unknown;
  total?: number;
  changes?: string;
  /** Takes the place of everything else: a file that is downloaded. */
  text?: string;
}

/** A refusal: the text goes to the reason phrase and, from 8.4 on, into the body. */
export class ApiError extends Error {
  /**
   * @param status HTTP status
   * @param message human text without a trailing newline
   * @param errors parameter → text, for 400
   */
  constructor(
    readonly status: number,
    message: string,
    readonly errors?: Record<string, string>,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

/** A handler's plain `die`: 500 with the text. */
export function failure(message: string): ApiError {
  return new ApiError(500, message);
}

/** What `raise_param_exc` does: 400 with one text per parameter. */
export function parameterError(errors: Record<string, string>): ApiError {
  return new ApiError(400, "Parameter verification failed.", errors);
}

/** What `raise_perm_exc` does: 403, with the object and privileges when they are told. */
export function permissionError(detail?: string): ApiError {
  return new ApiError(403, detail === undefined ? "Permission check failed" : `Permission check failed (${detail})`);
}
