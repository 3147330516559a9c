// Uses the service's doors as a program outside does: REST v1, GraphQL over HTTP and over WebSocket.
import assert from "node:assert/strict";
import { createClient } from "graphql-ws";

interface RestAnswer {
  readonly status: number;
  readonly data: unknown;
  readonly error: string | null;
}

export interface ApiClient {
  /** The same caller at another process. */
  at(url: string): ApiClient;
  /** Another caller at the same process. */
  as(token: string): ApiClient;
  rest(method: "GET" | "POST" | "DELETE", path: string, body?: object): Promise<RestAnswer>;
  /** The data of an operation that must succeed. */
  graphql<Data>(query: string, variables?: object): Promise<Data>;
  /** The data of each event, until the subscription ends. */
  subscribe<Data>(query: string, variables?: Record<string, unknown>): AsyncGenerator<Data>;
}

export function client(url: string, token: string | null): ApiClient {
  const headers = {
    "content-type": "application/json",
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  };
  return {
    as: (other) => client(url, other),
    at: (other) => client(other, token),
    async rest(method, path, body) {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await fetch(`${url}/api/v1${path}`, { method, headers, ...sent });
      const { data = null, error = null }: Partial<RestAnswer> = JSON.parse(await answer.text());
      return { status: answer.status, data, error };
    },
    async graphql<Data>(query: string, variables: object = {}) {
      const body = JSON.stringify({ query, variables });
      const answer = await fetch(`${url}/graphql`, { method: "POST", headers, body });
      const { data, errors }: { data: Data; errors?: unknown } = JSON.parse(await answer.text());
      assert.equal(errors, undefined, JSON.stringify(errors));
      return data;
    },
    async *subscribe<Data>(query: string, variables: Record<string, unknown> = {}) {
      const connection = createClient({
        url: `${url.replace("http", "ws")}/graphql`,
        webSocketImpl: WebSocket,
        connectionParams: { authorization: `Bearer ${token}` },
        retryAttempts: 0,
      });
      try {
        for await (const { data, errors } of connection.iterate<Data>({ query, variables })) {
          assert.equal(errors, undefined, JSON.stringify(errors));
          if (data) yield data;
        }
      } finally {
        await connection.dispose();
      }
    },
  };
}
