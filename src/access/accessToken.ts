// The service's own bearer tokens: made, distinguished by their prefix, and hashed for storage.
import { hash, randomBytes } from "node:crypto";

/** What a bearer token opens: the APIs for programs, the APIs for a person who signed in, or the heartbeat of one node. */
export type AccessTokenKind = "apiToken" | "session" | "agent";

const PREFIX: Readonly<Record<AccessTokenKind, string>> = { apiToken: "drv_", session: "drs_", agent: "dra_" };
const SECRET_BYTES = 32;
const SHOWN_CHARACTERS = 6;
const AUTHORIZATION = /^bearer +((dr[vsa]_)[A-Za-z0-9_-]{43})$/i;

/** A fresh token. `value` is shown to its owner once; only `hash` is stored; `prefix` identifies the token in lists. */
export interface NewAccessToken {
  readonly value: string;
  readonly hash: string;
  readonly prefix: string;
}

/** A token as it arrived, already hashed: its value goes no further. */
export interface PresentedToken {
  readonly kind: AccessTokenKind;
  readonly hash: string;
}

/** Makes a token of 256 random bits. */
export function newAccessToken(kind: AccessTokenKind): NewAccessToken {
  const value = PREFIX[kind] + randomBytes(SECRET_BYTES).toString("base64url");
  return { value, hash: hashAccessToken(value), prefix: value.slice(0, PREFIX[kind].length + SHOWN_CHARACTERS) };
}

/**
 * What is stored and looked up in a token's stead: SHA-256 in hex. Looking up the hash of what was sent takes a time that
 * reveals nothing about the token; with 256 random bits there is nothing to guess, so no salt and no slow hash are needed.
 */
export const hashAccessToken = (value: string): string => hash("sha256", value);

/** Reads an `Authorization` header (the scheme in any case). @returns null when it holds no token of this service's form */
export function readBearer(authorization: string | undefined): PresentedToken | null {
  const [, value, prefix] = AUTHORIZATION.exec(authorization ?? "") ?? [];
  const kind = bearerKinds.find((name) => PREFIX[name] === prefix);
  return value === undefined || kind === undefined ? null : { kind, hash: hashAccessToken(value) };
}

const bearerKinds: readonly AccessTokenKind[] = ["apiToken", "session", "agent"];
