// Verifies API tokens, passwords and tickets, and issues tickets.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Identity } from "../api.js";
import { ApiError } from "../api.js";
import type { SimulatedClock } from "../clock.js";
import type { AccessState, User } from "../state/access.js";
import { splitTokenId } from "../state/access.js";
import type { Release } from "../version.js";
import { atLeast } from "../version.js";

const ticketLifetimeSeconds = 7200;
const clockToleranceSeconds = 300;

/** Everything that turns presented credentials into an identity. */
export class Credentials {
  readonly #key = randomBytes(32);

  constructor(
    private readonly state: AccessState,
    private readonly clock: SimulatedClock,
    private readonly release: Release,
  ) {}

  /**
   * Verifies the value of `PVEAPIToken=`: `user@realm!token=secret`.
   * @throws ApiError 401; releases before 9.2 say what was wrong
   */
  verifyToken(value: string): Identity {
    const separator = value.lastIndexOf("=");
    if (separator < 0) throw this.#refusal("no tokenid specified");
    const parts = splitTokenId(value.slice(0, separator));
    if (parts === null) throw this.#refusal("no tokenid specified");
    const user = this.#enabledUser(parts.user);
    const token = user.tokens.get(parts.token);
    if (token === undefined) throw this.#refusal(`no such token '${parts.token}' for user '${parts.user}'`);
    if (token.expire !== 0 && token.expire < this.clock.seconds())
      throw this.#refusal(`token '${parts.token}' access expired`);
    if (!sameText(token.secret, value.slice(separator + 1))) throw this.#refusal("invalid token value!");
    return { user: parts.user, tokenId: parts.token, label: `${parts.user}!${parts.token}`, ticket: false };
  }

  /**
   * Verifies a ticket as the cookie carries it, already percent-decoded.
   * @throws ApiError 401
   */
  verifyTicket(ticket: string): Identity {
    const userid = this.ticketUser(ticket);
    if (userid === null) throw this.#refusal("permission denied - invalid PVE ticket");
    this.#enabledUser(userid);
    return { user: userid, tokenId: null, label: userid, ticket: true };
  }

  /** User of a valid ticket, or null. */
  ticketUser(ticket: string): string | null {
    const match = /^PVE:([^\s:/]+@[^\s:/]+):([0-9A-F]{8})::(.+)$/.exec(ticket);
    if (match === null) return null;
    const [, userid = "", time = "", signature = ""] = match;
    const age = this.clock.seconds() - Number.parseInt(time, 16);
    if (age < -clockToleranceSeconds || age > ticketLifetimeSeconds) return null;
    return sameText(signature, this.#sign(`PVE:${userid}:${time}`)) ? userid : null;
  }

  /** Makes a ticket that is good for two hours. */
  issueTicket(userid: string): string {
    const plain = `PVE:${userid}:${this.#now()}`;
    return `${plain}::${this.#sign(plain)}`;
  }

  /** Makes the token that every writing request with a ticket has to carry. */
  issueCsrfToken(userid: string): string {
    const time = this.#now();
    return `${time}:${this.#sign(`csrf:${time}:${userid}`)}`;
  }

  verifyCsrfToken(userid: string, token: string): boolean {
    const [time = "", signature = ""] = token.split(":", 2);
    const age = this.clock.seconds() - Number.parseInt(time, 16);
    const fresh = age >= -clockToleranceSeconds && age <= 24 * 3600;
    return fresh && sameText(signature, this.#sign(`csrf:${time}:${userid}`));
  }

  /** True when the user may log in with this password, or renew with this still valid ticket. */
  verifyPassword(userid: string, password: string): boolean {
    const user = this.state.users.get(userid);
    if (user === undefined || !this.#isUsable(user)) return false;
    const ticketUser = this.ticketUser(password);
    if (ticketUser === "root@pam" || ticketUser === userid) return true;
    return user.password !== null && sameText(user.password, password);
  }

  #enabledUser(userid: string): User {
    const user = this.state.users.get(userid);
    if (user === undefined) throw this.#refusal(`no such user ('${userid}')`);
    if (!user.enabled) throw this.#refusal(`user '${userid}' is disabled`);
    if (!this.#isUsable(user)) throw this.#refusal(`user '${userid}' access expired`);
    return user;
  }

  #isUsable(user: User): boolean {
    return user.enabled && (user.expire === 0 || user.expire >= this.clock.seconds());
  }

  #refusal(detail: string): ApiError {
    return new ApiError(401, atLeast(this.release, "9.2") ? "Authentication failed!" : detail);
  }

  #now(): string {
    return this.clock.seconds().toString(16).toUpperCase().padStart(8, "0");
  }

  #sign(text: string): string {
    return createHmac("sha256", this.#key).update(text).digest("base64");
  }
}

function sameText(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
