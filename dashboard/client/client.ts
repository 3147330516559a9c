// Speaks GraphQL with the service: queries and mutations over HTTP, subscriptions over the one WebSocket.
import { cacheExchange, Client, fetchExchange, mapExchange, subscriptionExchange, type CombinedError } from "urql";
import type { Client as SocketClient } from "graphql-ws";
import { connect } from "./connection.js";
import { repeatReads } from "./repeatReads.js";
import { SignOutDocument } from "../generated/documents.js";
import { lapseSession } from "./session.js";

/** A client for the present session, to be disposed of with it. */
export interface OpenClient {
  readonly client: Client;
  dispose(): void;
}

/** Opens a client with a session's token. Without one it can only sign in. */
export function openClient(token: string | null): OpenClient {
  const socket = token === null ? null : connect(token);
  const client = new Client({
    url: "/graphql",
    preferGetMethod: false,
    requestPolicy: "cache-and-network",
    fetchOptions: headersOf(token),
    exchanges: [
      mapExchange({
        onError(error) {
          if (token !== null && isOfSession(error)) lapseSession(token);
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

/**
 * Ends the session with this token at the service. A service that does not answer, or has ended it already, changes nothing for who
 * signs out: the session then ends at its time.
 */
export async function endSession(token: string): Promise<void> {
  // The request is sent even if the page is left at once.
  const fetchOptions = { ...headersOf(token), keepalive: true };
  const client = new Client({ url: "/graphql", preferGetMethod: false, fetchOptions, exchanges: [fetchExchange] });
  await client.mutation(SignOutDocument, {}).toPromise();
}

const headersOf = (token: string | null): RequestInit =>
  token === null ? {} : { headers: { authorization: `Bearer ${token}` } };

/** Stable codes of an error, such as `NOT_FOUND`. */
export const codesOf = (error: CombinedError): string[] =>
  error.graphQLErrors.map(({ extensions }) => (typeof extensions["code"] === "string" ? extensions["code"] : ""));

/** Stable reasons of an error, which tell more than its code, such as `WRONG_PASSWORD`. */
export const reasonsOf = (error: CombinedError): string[] =>
  error.graphQLErrors.map(({ extensions }) => (typeof extensions["reason"] === "string" ? extensions["reason"] : ""));

/** Whether the session itself is refused, and not a password that was typed in it. */
const isOfSession = (error: CombinedError): boolean =>
  codesOf(error).includes("UNAUTHENTICATED") && !reasonsOf(error).includes("WRONG_PASSWORD");

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
