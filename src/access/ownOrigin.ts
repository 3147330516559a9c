// Decides whether a browser sends a request from the service's own pages: the session's cookie comes along whatever page asks.
import type { IncomingMessage } from "node:http";
import { isSourceAllowed } from "../core/access/allowedIps.js";
import { DroverError } from "../errors/errors.js";
import { plainAddress, type TrustedProxies } from "./sourceIp.js";

interface OwnOriginParts {
  /** Where people reach the service (`DROVER_URL`); undefined: where they say they do. */
  readonly url: string | undefined;
  /** The proxies whose `X-Forwarded-Proto` is believed. */
  readonly proxies: TrustedProxies;
}

type Request = Pick<IncomingMessage, "headers" | "method" | "socket">;

const READS: ReadonlySet<string | undefined> = new Set(["GET", "HEAD"]);
/** Characters of a foreign origin that a refusal repeats. */
const LONGEST_SHOWN = 200;

export class OwnOrigin {
  readonly #url: string | null;
  readonly #proxies: TrustedProxies;

  constructor({ url, proxies }: OwnOriginParts) {
    this.#url = url === undefined ? null : new URL(url).origin;
    this.#proxies = proxies;
  }

  /** Whether the request came over TLS, by the service's own address or by what a trusted proxy says. */
  isSecure(request: Request): boolean {
    return this.#of(request)?.startsWith("https:") ?? false;
  }

  /**
   * To be asked for every request that the session's cookie may authenticate, or that wants one.
   * @param changes whether more than the answer may come of it, as of a WebSocket; by default the method decides
   * @returns why a page of another site may not send it (`WRONG_ORIGIN`); null: none does
   */
  refusalOf(request: Request, changes = !READS.has(request.method)): DroverError | null {
    const { origin, "sec-fetch-site": site } = request.headers;
    const own = this.#of(request);
    const isForeign = site === "cross-site" || (changes && origin !== undefined && origin !== own);
    return isForeign ? wrongOrigin(origin, own) : null;
  }

  /** @returns null when the request does not say to which host it goes */
  #of({ headers, socket }: Request): string | null {
    if (this.#url !== null) return this.#url;
    const address = `${this.#schemeOf({ headers, socket })}://${headers.host ?? ""}`;
    return URL.canParse(address) ? new URL(address).origin : null;
  }

  #schemeOf({ headers, socket }: Pick<Request, "headers" | "socket">): "http" | "https" {
    const proxy = plainAddress(socket.remoteAddress ?? "");
    if (proxy === null || !isSourceAllowed(this.#proxies, proxy)) return "http";
    // The first of several is what the proxy next to the caller was asked over.
    const [said = ""] = String(headers["x-forwarded-proto"] ?? "").split(",");
    return said.trim().toLowerCase() === "https" ? "https" : "http";
  }
}

function wrongOrigin(origin = "another site", own: string | null): DroverError {
  const foreign = origin.slice(0, LONGEST_SHOWN);
  const help = "; DROVER_URL and TRUST_PROXY decide which it is";
  const message = `A page of ${foreign} may not use a session of the panel, whose own address is ${own ?? "unknown"}${help}`;
  return new DroverError("forbidden", message, { reason: "WRONG_ORIGIN" });
}
