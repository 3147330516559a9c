// Speaks GraphQL with the service: queries and mutations over HTTP, subscriptions over the one WebSocket.
import { cacheExchange, Client, fetchExchange, mapExchange, subscriptionExchange, type CombinedError } from "urql";
import type { Client as SocketClient } from "graphql-ws";
import { connect } from "./connection.js";
import { keepSession, session } from "./session.js";

/** A client for the present session, to be disposed of with it. */
export interface OpenClient {
  readonly client: Client;
  dispose(): void;
}

/** Opens a client. Without a session it can only sign in. */
export function openClient(signedIn: boolean): OpenClient {
  const socket = signedIn ? connect() : null;
  const client = new Client({
    url: "/graphql",
    preferGetMethod: false,
    requestPolicy: "cache-and-network",
    fetchOptions: () => headersOf(session()?.token),
    exchanges: [
      mapExchange({ onError: endSessionWhenRefused }),
      cacheExchange,
      fetchExchange,
      ...(socket === null ? [] : [subscriptions(socket)]),
    ],
  });
  return { client, dispose: () => void socket?.dispose() };
}

const headersOf = (token: string | undefined): RequestInit =>
  token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } };

function endSessionWhenRefused(error: CombinedError): void {
  if (session() !== null && codesOf(error).includes("UNAUTHENTICATED")) keepSession(null);
}

/** Stable codes of an error, such as `NOT_FOUND`. */
export const codesOf = (error: CombinedError): string[] =>
  error.graphQLErrors.map(({ extensions }) => (typeof extensions["code"] === "string" ? extensions["code"] : ""));

const subscriptions = (socket: SocketClient) =>
  subscriptionExchange({
    forwardSubscription: ({ query, variables }) => ({
      subscribe: (sink) => ({ unsubscribe: socket.subscribe({ query: query ?? "", variables }, sink) }),
    }),
  });
