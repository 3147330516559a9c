// A GraphQL client for the demo, like any other of the service: a request that is refused for now is repeated when the service says.
import { setTimeout as delay } from "node:timers/promises";
import pRetry, { type Options } from "p-retry";
import { z } from "zod";

/** What a refusal without `Retry-After`, or a lost connection, is waited for. */
const USUAL_PAUSE_MS = 1_000;
/** Codes and statuses of refusals that pass by themselves. */
const PASSING_CODES: readonly string[] = ["UNAVAILABLE", "RATE_LIMITED"];
const PASSING_STATUSES: readonly number[] = [429, 503];
/** States of a Proxmox VE host that pass. */
const PASSING_REASONS: readonly string[] = [
  "PLATFORM_UNREACHABLE",
  "PLATFORM_UNCERTAIN",
  "PLATFORM_NOT_STARTED",
  "PLATFORM_FAILED",
];

const graphqlError = z.object({
  message: z.string(),
  path: z.array(z.union([z.string(), z.number()])).optional(),
  extensions: z
    .object({
      code: z.string().optional(),
      reason: z.string().optional(),
      retryAfterSeconds: z.number().optional(),
    })
    .optional(),
});
type GraphqlError = z.output<typeof graphqlError>;

const answer = z
  .object({
    data: z.record(z.string(), z.unknown()).nullish(),
    errors: z.array(graphqlError).optional(),
  })
  .refine(({ data, errors }) => (data ?? errors) !== undefined);

/** A failure that passes: the same request may succeed after a while. */
export class PassingFailure extends Error {
  override readonly name = "PassingFailure";
  readonly retryAfterMs: number;
  /** The service executed nothing of the request, so that a change can be repeated without a look at what is there. */
  readonly nothingDone: boolean;

  constructor(message: string, { retryAfterMs, nothingDone }: Pick<PassingFailure, "retryAfterMs" | "nothingDone">) {
    super(message);
    this.retryAfterMs = retryAfterMs;
    this.nothingDone = nothingDone;
  }
}

/**
 * Runs one operation. `read` checks the data. Reads are repeated while their failure passes, changes while nothing was done.
 * @throws PassingFailure of a change that may have been made; Error with the service's messages; the reason of the client's signal
 */
export type Ask = <Data>(document: string, variables: Record<string, unknown>, read: z.ZodType<Data>) => Promise<Data>;

export interface Connection {
  /** Of the GraphQL endpoint. */
  readonly url: string;
  /** Bearer token; null: anonymous. */
  readonly token: string | null;
  /** Aborted when the service has ended: then nothing is repeated. */
  readonly over: AbortSignal;
}

export function graphqlClient(connection: Connection): Ask {
  return async (document, variables, read) => {
    const isRead = !document.trimStart().startsWith("mutation");
    const ask = () => askOnce(connection, { query: document, variables });
    return read.parse(await repeated(ask, connection.over, ({ nothingDone }) => isRead || nothingDone));
  };
}

/** Signs in and returns a client of the session. */
export async function signIn(
  { url, over }: Pick<Connection, "url" | "over">,
  credentials: { readonly username: string; readonly password: string },
): Promise<Ask> {
  const anonymous = graphqlClient({ url, token: null, over });
  const logIn = () =>
    anonymous(
      `mutation ($username: String!, $password: String!) { login(username: $username, password: $password) { token } }`,
      credentials,
      z.object({ login: z.object({ token: z.string() }) }),
    );
  const { login } = await repeated(logIn, over);
  return graphqlClient({ url, token: login.token, over });
}

/** Repeats work while it fails for reasons that pass. @param maySafely decides whether it can be repeated as it is */
export function repeated<Result>(
  work: () => Promise<Result>,
  over: AbortSignal,
  maySafely: (failure: PassingFailure) => boolean = () => true,
): Promise<Result> {
  const shouldRetry: Options["shouldRetry"] = async ({ error }) => {
    if (!(error instanceof PassingFailure) || !maySafely(error)) return false;
    // An abort is thrown by p-retry itself, with its reason.
    await delay(error.retryAfterMs, undefined, { signal: over }).catch(() => undefined);
    return true;
  };
  return pRetry(work, { retries: Number.POSITIVE_INFINITY, minTimeout: 0, signal: over, shouldRetry });
}

async function askOnce({ url, token, over }: Connection, operation: object): Promise<unknown> {
  const { status, retryAfter, text } = await send({ url, token, over }, operation);
  const { data, errors } = readAnswer(text, status);
  if (errors === undefined) return data;
  const message = errors.map((error) => error.message).join("; ");
  if (!errors.every((error) => passes(error, status))) throw new Error(message);
  const asked = errors.map(({ extensions }) => extensions?.retryAfterSeconds ?? retryAfter);
  throw new PassingFailure(message, {
    retryAfterMs: Math.max(...asked) * 1000 || USUAL_PAUSE_MS,
    // Only an error of the execution has a path.
    nothingDone: errors.every(({ path }) => path === undefined),
  });
}

async function send({ url, token, over }: Connection, operation: object) {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(operation),
      signal: over,
    });
    const retryAfter = Number(response.headers.get("retry-after") ?? 0) || 0;
    return { status: response.status, retryAfter, text: await response.text() };
  } catch (error) {
    over.throwIfAborted();
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    throw new PassingFailure(`no answer: ${String(cause)}`, { retryAfterMs: USUAL_PAUSE_MS, nothingDone: false });
  }
}

/** What is no GraphQL answer counts as an error with its text. */
function readAnswer(text: string, status: number): z.output<typeof answer> {
  try {
    return answer.parse(JSON.parse(text));
  } catch {
    return { errors: [{ message: `status ${status}: ${text.slice(0, 300)}` }] };
  }
}

function passes({ extensions: { code, reason = "" } = {} }: GraphqlError, status: number): boolean {
  if (code === undefined) return PASSING_STATUSES.includes(status);
  return PASSING_CODES.includes(code) || PASSING_REASONS.includes(reason);
}
