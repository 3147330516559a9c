// Authenticates to a host: with an API token, or with a ticket from a password login.
import { z } from "zod";
import type { DroverError } from "../../errors/errors.js";
import type { HostConnection } from "../connection.js";
import { placeOf, PlatformReason, platformError } from "../platformError.js";
import { isSuccess, parseJson, refusalError } from "./errors.js";
import type { HttpAnswer, HttpRequest } from "./exchange.js";
import type { DriverOptions } from "./options.js";
import { flag, understand } from "./parse.js";
import { encodeParameters, inHeader } from "./path.js";

/** What a request needs to be believed. */
export interface ApiSession {
  /** The headers that prove who asks. Logs in first where that is needed. */
  headers(method: HttpRequest["method"]): Promise<Readonly<Record<string, string>>>;
  /** Takes note of a 401. @returns whether the request, which was not carried out, may be sent again with new headers */
  refused(headers: Readonly<Record<string, string>>): boolean;
  /** Texts that must not show anywhere. */
  secrets(): readonly string[];
}

/** Sends a request without any proof of who asks. */
type Send = (request: HttpRequest) => Promise<HttpAnswer>;

/** Without `/api2/json`. */
export const LOGIN_PATH = "/access/ticket";

export const FORM = "application/x-www-form-urlencoded";

export function openSession(connection: HostConnection, send: Send, options: DriverOptions): ApiSession {
  const { user, credential, name } = connection;
  return credential.kind === "token"
    ? tokenSession(`${user}!${credential.tokenId}`, credential.secret)
    : new TicketSession({ user, password: credential.password, host: name }, send, options);
}

function tokenSession(id: string, secret: string): ApiSession {
  const headers = { authorization: `PVEAPIToken=${inHeader(id)}=${inHeader(secret)}` };
  return { headers: () => Promise.resolve(headers), refused: () => false, secrets: () => [secret] };
}

interface Ticket {
  readonly ticket: string;
  readonly csrf: string;
  /** By the clock that never jumps. */
  readonly issuedAt: number;
}

const loginAnswer = z.object({
  data: z.object({ ticket: z.string().min(1), CSRFPreventionToken: z.string().min(1), NeedTFA: flag }),
});

interface Account {
  readonly user: string;
  readonly password: string;
  /** Its name, for messages. */
  readonly host: string;
}

/** One login at a time, shared by all who wait for it. The ticket is replaced long before the platform ends it. */
class TicketSession implements ApiSession {
  readonly #account: Account;
  readonly #send: Send;
  readonly #options: DriverOptions;
  #ticket: Ticket | null = null;
  #login: Promise<Ticket> | null = null;
  #refusal: { readonly error: DroverError; readonly at: number } | null = null;

  constructor(account: Account, send: Send, options: DriverOptions) {
    this.#account = account;
    this.#send = send;
    this.#options = options;
  }

  async headers(method: HttpRequest["method"]): Promise<Record<string, string>> {
    const { ticket, csrf } = await this.#current();
    const cookie = `PVEAuthCookie=${encodeURIComponent(ticket)}`;
    return method === "GET" ? { cookie } : { cookie, csrfpreventiontoken: csrf };
  }

  refused(headers: Readonly<Record<string, string>>): boolean {
    const used = this.#ticket;
    if (used !== null && headers["cookie"] === `PVEAuthCookie=${encodeURIComponent(used.ticket)}`) this.#ticket = null;
    return true;
  }

  secrets(): readonly string[] {
    const { ticket = "", csrf = "" } = this.#ticket ?? {};
    return [this.#account.password, ticket, csrf];
  }

  async #current(): Promise<Ticket> {
    if (
      this.#ticket !== null &&
      this.#options.stopwatch.milliseconds() - this.#ticket.issuedAt < this.#options.ticketMs
    )
      return this.#ticket;
    if (
      this.#refusal !== null &&
      this.#options.stopwatch.milliseconds() - this.#refusal.at < this.#options.refusedLoginMs
    ) {
      throw this.#refusal.error;
    }
    this.#login ??= this.#logIn().finally(() => (this.#login = null));
    this.#ticket = await this.#login;
    return this.#ticket;
  }

  async #logIn(): Promise<Ticket> {
    const { user, password, host } = this.#account;
    const body = encodeParameters({ username: user, password });
    const headers = { "content-type": FORM };
    const answer = await this.#send({ method: "POST", path: `/api2/json${LOGIN_PATH}`, headers, body });
    if (!isSuccess(answer))
      this.#refuse(refusalError(answer, { changes: false, place: placeOf(host, null), secrets: [password] }));
    const { data } = understand(loginAnswer, parseJson(answer.body), `${host} to the login`);
    const { ticket, CSRFPreventionToken: csrf, NeedTFA } = data;
    if (NeedTFA) {
      const place = placeOf(host, null);
      const message = `${user} needs a second factor to log in to ${place}: use an API token`;
      this.#refuse(platformError(PlatformReason.AUTHENTICATION, message, { place }));
    }
    this.#refusal = null;
    return { ticket, csrf, issuedAt: this.#options.stopwatch.milliseconds() };
  }

  #refuse(error: DroverError): never {
    if (error.reason === PlatformReason.AUTHENTICATION)
      this.#refusal = { error, at: this.#options.stopwatch.milliseconds() };
    throw error;
  }
}
