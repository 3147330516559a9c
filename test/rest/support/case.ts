// The form of the REST cases: what is asked, and what must be answered.
import type { Method } from "../../../rest/route.js";
import type { RestService } from "./service.js";
import type { World } from "./world.js";

export type TokenName = keyof World["tokens"];

export interface CaseRequest {
  readonly method: Method | "PUT" | "PATCH" | "HEAD" | "OPTIONS";
  /** Below `/api/v1`, with its query string. */
  readonly path: string;
  /** Name of one of the world's tokens, or a whole `Authorization` header; `full` when left out, null for none. */
  readonly token?: TokenName | `${string} ${string}` | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>> | string;
  /** Sent as it is; `headers` say what it is. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
}

export interface CaseAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** One case. `must` reads as a sentence that begins with MUST. */
export interface Case {
  readonly id: string;
  readonly must: string;
  /** What is done before, beyond the world that all cases share. */
  readonly given?: (service: RestService, world: World) => Promise<void>;
  readonly request: CaseRequest;
  readonly status: number;
  /** The answer must contain this. */
  readonly body?: unknown;
  /** The message of a failure. */
  readonly error?: RegExp;
  /** The names that a record (of a list, the first) must have: these and no others. */
  readonly fields?: readonly string[];
  readonly headers?: Readonly<Record<string, RegExp>>;
}
