// Determines who sends a GraphQL request, from where, and with which id.
import type { IncomingMessage } from "node:http";
import type { Accepted } from "../src/access/authenticate.js";
import { originOf, sourceIp, type TrustedProxies } from "../src/access/sourceIp.js";
import type { Connection } from "./wire.js";

/** People and programs alike use GraphQL. */
export const ACCEPTED: readonly Accepted[] = ["apiToken", "session"];

/** A request before anything of it is read. */
export interface Arrived {
  readonly authorization: string | undefined;
  readonly sourceIp: string;
}

/** What an HTTP request shows. */
export const arrivalOf = (request: IncomingMessage, proxies: TrustedProxies): Arrived => ({
  authorization: request.headers.authorization,
  sourceIp: sourceIp(originOf(request), proxies),
});

/** What a connection shows: its token comes in `connection_init`, `{"authorization": "Bearer …"}`, the name in any case. */
export function arrivalOverSocket({ connectionParams, extra: { sourceIp: source } }: Connection): Arrived {
  const [, authorization] =
    Object.entries(connectionParams ?? {}).find(([name]) => name.toLowerCase() === "authorization") ?? [];
  return { sourceIp: source, authorization: typeof authorization === "string" ? authorization : undefined };
}
