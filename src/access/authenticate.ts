// Decides who is asking and whether they may come in: token (401), then source address (403), then rate limit (429).
import type { Pool } from "pg";
import type { Clock } from "../clock.js";
import { isSourceAllowed } from "../core/access/allowedIps.js";
import { isRateLimited } from "../core/access/rateWindow.js";
import { DroverError } from "../errors.js";
import type { Events } from "../events.js";
import type { Logger } from "../log.js";
import { readBearer, type BearerKind } from "./bearerToken.js";
import { Credentials, type Credential, type TokenCredential } from "./credentials.js";
import { LastUse } from "./lastUse.js";
import { RequestLimit, type RateState } from "./rateWindows.js";
import type { Viewer } from "./viewer.js";

/** What a request shows at the door. */
export interface Arrival {
  /** The `Authorization` header, or what stands in its place in `connection_init`. */
  readonly authorization: string | undefined;
  /** The caller's address as {@link sourceIp} finds it. */
  readonly sourceIp: string;
}

/** The API token of a request, for its line in the request log; also known when the request was refused. */
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

export interface Admitted extends Outcome {
  readonly admitted: true;
  readonly viewer: Viewer;
}

export interface Refused extends Outcome {
  readonly admitted: false;
  /** Of kind `unauthenticated`, `forbidden` or `rateLimited`. */
  readonly refusal: DroverError;
}

export type Admission = Admitted | Refused;

/** What people and programs may show. */
export type Accepted = Extract<BearerKind, "apiToken" | "session">;

/** The door of the service. */
export interface Access {
  /**
   * Checks a request's bearer token. Counts against the token's rate limit.
   * @param accepted kinds of tokens that open this door; any other is as good as none
   * @throws Error of the driver when the database cannot be asked
   */
  authenticate(arrival: Arrival, accepted: readonly Accepted[]): Promise<Admission>;
  /**
   * Finds out who shows this header now, without counting a request: for connections that stay open.
   * @returns null: nobody, or nobody any more
   */
  identify(authorization: string | undefined, accepted: readonly Accepted[]): Promise<Viewer | null>;
  /** @returns the node whose agent shows this `Authorization` header; null: not an agent's token, or one that was replaced */
  agentNodeId(authorization: string | undefined): Promise<number | null>;
  /** Writes what is still to be noted. */
  close(): Promise<void>;
}

interface AccessParts {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly events: Events;
  readonly log: Logger;
}

/** Opens the door: one for each process. */
export function openAccess(parts: AccessParts): Access {
  const credentials = new Credentials(parts);
  const limit = new RequestLimit(parts);
  const lastUse = new LastUse(parts);

  async function findValid(
    authorization: string | undefined,
    kinds: readonly BearerKind[],
  ): Promise<Credential | null> {
    const presented = readBearer(authorization);
    if (presented === null || !kinds.includes(presented.kind)) return null;
    const credential = await credentials.find(presented);
    return credential === null || isExpired(credential, parts.clock) ? null : credential;
  }

  async function admitToken(credential: TokenCredential, sourceIp: string): Promise<Admission> {
    const { viewer, rateLimit } = credential;
    const token = { id: viewer.tokenId, name: viewer.name };
    if (!isSourceAllowed(credential.allowedSources, sourceIp)) return refusal(sourceNotAllowed(sourceIp), { token });
    if (isRateLimited(rateLimit)) {
      const { admitted, state: rate } = await limit.take(`token ${viewer.tokenId}`, rateLimit);
      if (!admitted) return refusal(tooManyRequests(rate), { token, rate });
      lastUse.note(viewer.tokenId, sourceIp);
      return { admitted: true, viewer, token, rate };
    }
    lastUse.note(viewer.tokenId, sourceIp);
    return { admitted: true, viewer, token, rate: null };
  }

  return {
    async authenticate({ authorization, sourceIp }, accepted) {
      const credential = await findValid(authorization, accepted);
      if (credential === null || credential.kind === "agent") return refusal(notAuthenticated(authorization));
      if (credential.kind === "apiToken") return admitToken(credential, sourceIp);
      return { admitted: true, viewer: credential.viewer, token: null, rate: null };
    },
    async identify(authorization, accepted) {
      const credential = await findValid(authorization, accepted);
      return credential === null || credential.kind === "agent" ? null : credential.viewer;
    },
    async agentNodeId(authorization) {
      const presented = readBearer(authorization);
      if (presented?.kind !== "agent") return null;
      const credential = await credentials.find(presented);
      return credential?.kind === "agent" ? credential.nodeId : null;
    },
    async close() {
      credentials.close();
      await lastUse.close();
    },
  };
}

const isExpired = ({ expiresAt }: Credential, clock: Clock): boolean => expiresAt !== null && expiresAt <= clock.now();

const refusal = (error: DroverError, { token = null, rate = null }: Partial<Outcome> = {}): Refused => ({
  admitted: false,
  refusal: error,
  token,
  rate,
});

const notAuthenticated = (authorization: string | undefined): DroverError =>
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
