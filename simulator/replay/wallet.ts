// Keeps the credentials of a replay: token secrets and tickets as its own answers gave them.
import type { Exchange } from "./recording.js";
import { isObject } from "./placeholders.js";
import type { Placeholders } from "./placeholders.js";

interface Login {
  ticket: string;
  csrf: string;
}

/** Credentials by host and identity. */
export class Wallet {
  readonly #secrets = new Map<string, string>();
  readonly #logins = new Map<string, Login>();

  /**
   * @param logIn logs a user in whose login is not part of the recording
   */
  constructor(private readonly logIn: (host: string, user: string) => Promise<Login>) {}

  setSecret(host: string, label: string, secret: string): void {
    this.#secrets.set(`${host} ${label}`, secret);
  }

  /** Takes over secrets and tickets that an answer hands out. */
  learn(exchange: Exchange, body: unknown): void {
    const data = isObject(body) ? body.data : undefined;
    if (!isObject(data)) return;
    const { value, ticket, username, CSRFPreventionToken: csrf } = data;
    const label = data["full-tokenid"];
    if (typeof label === "string" && typeof value === "string") this.setSecret(exchange.host, label, value);
    if (typeof ticket === "string" && typeof username === "string" && typeof csrf === "string") {
      this.#logins.set(`${exchange.host} ${username}`, { ticket, csrf });
    }
  }

  /** Headers that identify the sender of a recorded request. */
  async credentials(exchange: Exchange, placeholders: Placeholders): Promise<Record<string, string>> {
    const { authorization, cookie, who } = exchange;
    if (authorization !== undefined) return { Authorization: placeholders.toOurs(authorization) };
    if (cookie !== undefined) return { Cookie: placeholders.toOurs(cookie) };
    if (who === null || who === undefined) return {};
    if (who.includes("!")) return { Authorization: `PVEAPIToken=${who}=${this.#secret(exchange.host, who)}` };
    const { ticket, csrf } = await this.#login(exchange.host, who.split(" ")[0] ?? who);
    const session = { Cookie: `PVEAuthCookie=${encodeURIComponent(ticket)}` };
    // The recording does not name this header; only its refusal tells that it was left out.
    return exchange.reason.endsWith("invalid csrf token") ? session : { ...session, CSRFPreventionToken: csrf };
  }

  #secret(host: string, label: string): string {
    return this.#secrets.get(`${host} ${label}`) ?? "unknown";
  }

  async #login(host: string, user: string): Promise<Login> {
    const known = this.#logins.get(`${host} ${user}`);
    if (known !== undefined) return known;
    const login = await this.logIn(host, user);
    this.#logins.set(`${host} ${user}`, login);
    return login;
  }
}
