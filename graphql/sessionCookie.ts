// Gives the cookie of a session to a browser that asks for one, and has it thrown away at the session's end.
import type { Request, Response } from "express";
import { SESSION_COOKIE } from "../src/access/accessToken.js";
import type { Context } from "../src/context/context.js";

interface AnswerCookieParts {
  readonly request: Pick<Request, "headers">;
  readonly response: Response;
  /** Whether the request came over TLS. */
  readonly isSecure: boolean;
}

/** Whether a sign-in gives its session as a cookie, and no token to a program. */
export const wantsCookie = ({ headers }: Pick<Request, "headers">): boolean => headers["x-drover-session"] === "cookie";

export class AnswerCookie implements NonNullable<Context["sessionCookie"]> {
  readonly isWanted: boolean;
  /** Whether the request is authenticated by it. */
  readonly #isUsed: boolean;
  readonly #response: Response;
  readonly #options: { path: "/"; httpOnly: true; sameSite: "strict"; secure: boolean };

  constructor({ request, response, isSecure }: AnswerCookieParts) {
    this.isWanted = wantsCookie(request);
    this.#isUsed = request.headers.authorization === undefined;
    this.#response = response;
    this.#options = { path: "/", httpOnly: true, sameSite: "strict", secure: isSecure };
  }

  set(value: string, lasts: number | null): void {
    const lifetime = lasts === null ? {} : { maxAge: lasts };
    this.#response.cookie(SESSION_COOKIE, value, { ...this.#options, ...lifetime });
  }

  clear(): void {
    if (this.#isUsed) this.#response.clearCookie(SESSION_COOKIE, this.#options);
  }
}
