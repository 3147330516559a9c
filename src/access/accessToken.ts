// The service's own tokens: made, distinguished by their prefix, read from a header, and hashed for storage.
import { hash, randomBytes } from "node:crypto";

/**
 * What a token opens: the APIs for programs, the APIs for a person who signed in, from a program or, as a cookie, from a browser, or the
 * heartbeat of one node. By its prefix, a cookie is no bearer token, nor the reverse.
 */
export type AccessTokenKind = "apiToken" | "session" | "cookie" | "agent";

/** The cookie of a person who signed in to the panel. */
export const SESSION_COOKIE = "drover_session";

const PREFIX: Readonly<Record<AccessTokenKind, string>> = {
  apiToken: "drv_",
  session: "drs_",
  cookie: "drc_",
  agent: "dra_",
};
const SECRET_BYTES = 32;
const SHOWN_CHARACTERS = 6;
const AUTHORIZATION = /^bearer +((dr[vsa]_)[A-Za-z0-9_-]{43})$/i;
const COOKIE = new RegExp(`(?<=^|; *)${SESSION_COOKIE}=(${PREFIX.cookie}[A-Za-z0-9_-]{43})(?=;|$)`, "g");
const OWN_COOKIE = new RegExp(`(?:^|; *)${SESSION_COOKIE}=`);
/** Cookies of the name for different paths or domains come together: more than these are no browser's. */
const MOST_COOKIES = 4;

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

const bearerKinds = ["apiToken", "session", "agent"] as const;

/** Whether a `Cookie` header has a session cookie, of whatever form. */
export const hasSessionCookie = (cookie: string | undefined): boolean => OWN_COOKIE.test(cookie ?? "");

/** Reads a `Cookie` header. @returns its session cookies of this service's form; none when there are too many */
export function readCookies(cookie: string | undefined): PresentedToken[] {
  const values = Array.from((cookie ?? "").matchAll(COOKIE), ([, value = ""]) => value);
  return values.length > MOST_COOKIES ? [] : values.map((value) => ({ kind: "cookie", hash: hashAccessToken(value) }));
}
