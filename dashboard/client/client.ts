// Speaks GraphQL with the service: queries and mutations over HTTP, subscriptions over the one WebSocket.
import { cacheExchange, Client, fetchExchange, mapExchange, subscriptionExchange, type CombinedError } from "urql";
import type { Client as SocketClient } from "graphql-ws";
import { connect } from "./connection.js";
import { repeatReads } from "./repeatReads.js";
import { lapseSession, type Session } from "./session.js";
import { readViewer } from "./viewer.js";

/** A client for the present session, to be disposed of with it. */
export interface OpenClient {
  readonly client: Client;
  dispose(): void;
}

/** Opens a client of a session. Without one it can only sign in. */
export function openClient(session: Session | null): OpenClient {
  const socket = session === null ? null : connect(session);
  const client: Client = new Client({
    url: "/graphql",
    preferGetMethod: false,
    requestPolicy: "cache-and-network",
    exchanges: [
      mapExchange({
        onError(error) {
          if (session !== null && refuseSession(error.graphQLErrors)) lapseSession(session);
          if (reasonsOf(error).includes("SECOND_FACTOR_SETUP_REQUIRED")) readViewer(client);
        },
      }),
      cacheExchange,
      repeatReads,
      fetchExchange,
      ...(socket === null ? [] : [subscriptions(socket)]),
    ],
  });
  return { client, dispose: () => void socket?.dispose() };
}

/** A client for what has to do with the session itself, and is in no other's way. */
export const clientOf = (fetchOptions: RequestInit): Client =>
  new Client({ url: "/graphql", preferGetMethod: false, fetchOptions, exchanges: [fetchExchange] });

/** Stable codes of an error, such as `NOT_FOUND`. */
export const codesOf = (error: CombinedError): string[] =>
  error.graphQLErrors.map(({ extensions }) => (typeof extensions["code"] === "string" ? extensions["code"] : ""));

/** Stable reasons of an error, which tell more than its code, such as `WRONG_PASSWORD`. */
export const reasonsOf = (error: CombinedError): string[] =>
  error.graphQLErrors.map(({ extensions }) => (typeof extensions["reason"] === "string" ? extensions["reason"] : ""));

/** Whether errors refuse the session itself, and no password that was typed in it. */
export const refuseSession = (errors: readonly { readonly extensions?: unknown }[]): boolean =>
  errors.some(
    ({ extensions }) =>
      typeof extensions === "object" &&
      extensions !== null &&
      "reason" in extensions &&
      extensions.reason === "NOT_SIGNED_IN",
  );

/** What a refusal says about one field of what was sent. */
export interface Problem {
  readonly field: string;
  readonly message: string;
}

/** The fields that a refusal names. */
export const problemsOf = (error: CombinedError): Problem[] =>
  error.graphQLErrors.flatMap(({ extensions: { fields } }) => (Array.isArray(fields) ? fields.filter(isProblem) : []));

const isProblem = (value: unknown): value is Problem =>
  typeof value === "object" &&
  value !== null &&
  "field" in value &&
  typeof value.field === "string" &&
  "message" in value &&
  typeof value.message === "string";

const subscriptions = (socket: SocketClient) =>
  subscriptionExchange({
    forwardSubscription: ({ query, variables }) => ({
      subscribe: (sink) => ({ unsubscribe: socket.subscribe({ query: query ?? "", variables }, sink) }),
    }),
  });
