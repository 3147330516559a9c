// The error class of the service: what was refused, in words for callers, and of which kind the refusal is.
import type { SecondFactorMethod } from "../core/enums.js";
import type { Problem } from "../core/problem.js";

/** The kinds of refusals; REST translates them into HTTP statuses, GraphQL into codes. */
export type ErrorKind =
  | "unauthenticated"
  | "forbidden"
  | "notFound"
  | "validation"
  | "conflict"
  | "rateLimited"
  | "unavailable"
  | "platform";

/** HTTP status of each kind, as REST v1 answers it. */
export const httpStatusOf = {
  unauthenticated: 401,
  forbidden: 403,
  notFound: 404,
  validation: 422,
  conflict: 409,
  rateLimited: 429,
  unavailable: 503,
  platform: 502,
} as const satisfies Record<ErrorKind, number>;

/** `extensions.code` of each kind, as GraphQL answers it. */
export const graphqlCodeOf = {
  unauthenticated: "UNAUTHENTICATED",
  forbidden: "FORBIDDEN",
  notFound: "NOT_FOUND",
  validation: "VALIDATION_FAILED",
  conflict: "CONFLICT",
  rateLimited: "RATE_LIMITED",
  unavailable: "UNAVAILABLE",
  platform: "PLATFORM_ERROR",
} as const satisfies Record<ErrorKind, string>;

interface ErrorParticulars {
  /** A stable upper-case word for programs, such as `VMID_TAKEN`. */
  readonly reason?: string;
  /** Where on the platform it happened, which the message says: `node pve2 of host rack2`. */
  readonly place?: string | undefined;
  /** Additional detail for those who manage hosts, such as an address. */
  readonly detail?: string | undefined;
  /** What caused it; only for the log, never shown to callers. */
  readonly cause?: unknown;
  /** The refused fields of a validation error, with their REST v1 names; GraphQL translates them. */
  readonly fields?: readonly Problem[];
  /** What proves beside the password who signs in, when that is asked for. */
  readonly methods?: readonly SecondFactorMethod[];
  /** Whole seconds after which a retry makes sense. Default for `unavailable`: 2. */
  readonly retryAfterSeconds?: number;
}

const USUAL_RETRY_SECONDS = 2;

/** An expected refusal. `message` is shown to callers and never contains a secret. */
export class DroverError extends Error {
  readonly kind: ErrorKind;
  readonly reason: string | undefined;
  readonly place: string | undefined;
  readonly detail: string | undefined;
  readonly fields: readonly Problem[];
  readonly methods: readonly SecondFactorMethod[];
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: ErrorKind, message: string, particulars: ErrorParticulars = {}) {
    super(message, particulars.cause === undefined ? undefined : { cause: particulars.cause });
    this.name = "DroverError";
    this.kind = kind;
    this.reason = particulars.reason;
    this.place = particulars.place;
    this.detail = particulars.detail;
    this.fields = particulars.fields ?? [];
    this.methods = particulars.methods ?? [];
    this.retryAfterSeconds =
      particulars.retryAfterSeconds ?? (kind === "unavailable" ? USUAL_RETRY_SECONDS : undefined);
  }
}

/** The message, followed by the detail for those who manage hosts. */
export const messageForOperators = ({ message, detail }: DroverError): string =>
  detail === undefined ? message : `${message} (${detail})`;

/** A refusal that names every offending field: "name: …; vmid: …". */
export function validationError(problems: readonly Problem[]): DroverError {
  const message = problems.map((problem) => `${problem.field}: ${problem.message}`).join("; ");
  return new DroverError("validation", message, { fields: problems });
}

/** The refusal for a record that does not exist or that the caller may not see. */
export function notFound(what: string): DroverError {
  return new DroverError("notFound", `${what} not found`);
}
