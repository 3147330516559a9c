// Decides who sends a request: reads cookie and Authorization header, has ticket or token verified, and checks CSRF.
import type { IncomingMessage } from "node:http";
import type { Identity } from "../api.js";
import { ApiError } from "../api.js";
import { unescapePercent } from "./urlEncoding.js";

/** What knows tokens and tickets; its refusals are 401 with the words for the reason phrase. */
export interface Verifier {
  /** @throws ApiError 401 */
  verifyToken(value: string): Identity;
  /** @throws ApiError 401 */
  verifyTicket(ticket: string): Identity;
  verifyCsrfToken(user: string, token: string): boolean;
}

/** The credential that a request carries; a ticket wins over a token. */
type Credential = { ticket: string } | { token: string } | null;

/** Finds the credential in cookie and Authorization header (pve-http-server, `extract_auth_value`). */
export function findCredential(request: IncomingMessage): Credential {
  const { cookie, authorization } = request.headers;
  const ticket = authValue(cookie, "PVEAuthCookie") || authValue(authorization, "PVEAuthCookie");
  if (ticket) return { ticket };
  const token = authValue(authorization, "PVEAPIToken");
  return token ? { token } : null;
}

function authValue(header: string | undefined, name: string): string | undefined {
  const value = new RegExp(`(?:^|\\s)${name}[= ]([^;]*)`).exec(header ?? "")?.[1];
  return value === undefined ? undefined : unescapePercent(value);
}

/**
 * Verifies the credential of a request; a ticket needs its CSRF token for everything but GET.
 * @throws ApiError 401 with the reason phrase
 */
export function identify(request: IncomingMessage, verifier: Verifier): Identity {
  const credential = findCredential(request);
  if (credential === null) throw new ApiError(401, "No ticket");
  if ("token" in credential) return verifier.verifyToken(credential.token);
  const identity = verifier.verifyTicket(credential.ticket);
  const header = request.headers["csrfpreventiontoken"];
  const token = Array.isArray(header) ? header[0] : header;
  if (request.method !== "GET" && (token === undefined || !verifier.verifyCsrfToken(identity.user, token))) {
    throw new ApiError(401, "Permission denied - invalid csrf token");
  }
  return identity;
}
