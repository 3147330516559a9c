// Decides who is asking and whether they are admitted: token (401), then source address (403), then rate limit (429).
import type { Pool } from "pg";
import type { Clock } from "../concurrency/clock.js";
import { isSourceAllowed } from "../core/access/allowedIps.js";
import { isRateLimited } from "../core/access/rateWindow.js";
import { DroverError } from "../errors/errors.js";
import type { Events } from "../events/events.js";
import type { Logger } from "../observability/log.js";
import { readBearer, readCookies, type AccessTokenKind, type PresentedToken } from "./accessToken.js";
import { Credentials, type Credential, type TokenCredential } from "./credentials.js";
import { LastUse } from "./lastUse.js";
import * as apiTokens from "../store/apiToken.js";
import * as sessions from "../store/session.js";
import { RequestLimit, type RateState } from "./rateWindows.js";
import type { Viewer } from "./viewer.js";

/** What shows who sends a request. */
export interface Presented {
  /** The `Authorization` header, or its counterpart in `connection_init`. */
  readonly authorization: string | undefined;
  /** The `Cookie` header; it counts where there is no `Authorization`. */
  readonly cookie?: string | undefined;
}

/** What a request is authenticated by. */
interface Arrival extends Presented {
  /** The caller's address as {@link sourceIp} finds it. */
  readonly sourceIp: string;
}

/** The API token of a request, for the request log; also given when the request was refused. */
export interface KnownToken {
  readonly id: number;
  readonly name: string;
}

interface Outcome {
  /** Null: not an API token, or none that is known. */
  readonly token: KnownToken | null;
  /** Null: the token has no limit. */
  readonly rate: RateState | null;
}

interface Admitted extends Outcome {
  readonly admitted: true;
  readonly viewer: Viewer;
}

interface Refused extends Outcome {
  readonly admitted: false;
  /** Of kind `unauthenticated`, `forbidden` or `rateLimited`. */
  readonly refusal: DroverError;
}

export type Authentication = Admitted | Refused;

/** The kinds of tokens that people and programs use. */
export type Accepted = Exclude<AccessTokenKind, "agent">;

/** Finds out who sends a request, and whether it is admitted. */
export interface Access {
  /**
   * Checks the token of a request, and counts the request against the rate limit of the token.
   * @param accepted kinds of tokens that are accepted here; any other is treated as unknown
   * @throws Error of the driver when the database cannot be asked
   */
  authenticate(arrival: Arrival, accepted: readonly Accepted[]): Promise<Authentication>;
  /**
   * Finds out who a connection that stays open belongs to now. It counts as use of a session, and as no request.
   * @returns null: the token is unknown, revoked or expired
   */
  identify(arrival: Arrival, accepted: readonly Accepted[]): Promise<Viewer | null>;
  /** @returns the id of the node whose agent has this token; null: it is no agent's token, or was replaced */
  agentNodeId(authorization: string | undefined): Promise<number | null>;
  /** Writes the last uses of tokens and sessions that are not written yet. */
  close(): Promise<void>;
}

interface AccessParts {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly events: Events;
  readonly log: Logger;
}

/** Checks who may come in; one for each process. */
export const openAccess = (parts: AccessParts): Access => new CredentialCheck(parts);

class CredentialCheck implements Access {
  readonly #clock: Clock;
  readonly #credentials: Credentials;
  readonly #limit: RequestLimit;
  readonly #lastUse: { readonly apiToken: LastUse; readonly session: LastUse };

  constructor(parts: AccessParts) {
    this.#clock = parts.clock;
    this.#credentials = new Credentials(parts);
    this.#limit = new RequestLimit(parts);
    const { pool, clock, log } = parts;
    this.#lastUse = {
      apiToken: new LastUse({ clock, log, what: "API tokens", store: (uses) => apiTokens.recordUses(pool, uses) }),
      session: new LastUse({ clock, log, what: "sessions", store: (uses) => sessions.recordUses(pool, uses) }),
    };
  }

  async authenticate(arrival: Arrival, accepted: readonly Accepted[]): Promise<Authentication> {
    const credential = await this.#findValid(arrival, accepted);
    if (credential === null || credential.kind === "agent") return refusal(notAuthenticated(arrival));
    if (credential.kind === "apiToken") return this.#admitToken(credential, arrival.sourceIp);
    this.#lastUse.session.note(credential.viewer.sessionId, arrival.sourceIp);
    return { admitted: true, viewer: credential.viewer, token: null, rate: null };
  }

  async identify(arrival: Arrival, accepted: readonly Accepted[]): Promise<Viewer | null> {
    const credential = await this.#findValid(arrival, accepted);
    if (credential === null || credential.kind === "agent") return null;
    if (credential.kind === "session") this.#lastUse.session.note(credential.viewer.sessionId, arrival.sourceIp);
    return credential.viewer;
  }

  async agentNodeId(authorization: string | undefined): Promise<number | null> {
    const presented = readBearer(authorization);
    if (presented?.kind !== "agent") return null;
    const credential = await this.#credentials.find(presented);
    return credential?.kind === "agent" ? credential.nodeId : null;
  }

  async close(): Promise<void> {
    this.#credentials.close();
    await this.#lastUse.apiToken.close();
    await this.#lastUse.session.close();
  }

  async #findValid(arrival: Presented, kinds: readonly AccessTokenKind[]): Promise<Credential | null> {
    const presented = presentedTokens(arrival).filter(({ kind }) => kinds.includes(kind));
    const found = await Promise.all(presented.map((token) => this.#credentials.find(token)));
    const valid = found.filter((credential) => credential !== null && !isExpired(credential, this.#clock));
    // Of two sessions, one may have been put there by another site of the same domain.
    return valid.length === 1 ? (valid[0] ?? null) : null;
  }

  async #admitToken(credential: TokenCredential, sourceIp: string): Promise<Authentication> {
    const { viewer, rateLimit } = credential;
    const token = { id: viewer.tokenId, name: viewer.name };
    if (!isSourceAllowed(credential.allowedSources, sourceIp)) return refusal(sourceNotAllowed(sourceIp), { token });
    let rate: RateState | null = null;
    if (isRateLimited(rateLimit)) {
      const { admitted, state } = await this.#limit.take(`token ${viewer.tokenId}`, rateLimit);
      if (!admitted) return refusal(tooManyRequests(state), { token, rate: state });
      rate = state;
    }
    this.#lastUse.apiToken.note(viewer.tokenId, sourceIp);
    return { admitted: true, viewer, token, rate };
  }
}

function presentedTokens({ authorization, cookie }: Presented): readonly PresentedToken[] {
  if (authorization === undefined) return readCookies(cookie);
  const bearer = readBearer(authorization);
  return bearer === null ? [] : [bearer];
}

const isExpired = ({ expiresAt }: Credential, clock: Clock): boolean => expiresAt !== null && expiresAt <= clock.now();

const refusal = (error: DroverError, { token = null, rate = null }: Partial<Outcome> = {}): Refused => ({
  admitted: false,
  refusal: error,
  token,
  rate,
});

const notAuthenticated = ({ authorization }: Presented): DroverError =>
  new DroverError(
    "unauthenticated",
    authorization === undefined
      ? "A bearer token is needed in the Authorization header"
      : "The token is unknown, revoked or expired",
  );

const sourceNotAllowed = (sourceIp: string): DroverError =>
  new DroverError("forbidden", `The token may not be used from ${sourceIp}`);

const tooManyRequests = ({ limit, secondsToNext }: RateState): DroverError =>
  new DroverError("rateLimited", `More than ${limit} requests in this minute; try again in ${secondsToNext} s`, {
    retryAfterSeconds: secondsToNext,
  });
