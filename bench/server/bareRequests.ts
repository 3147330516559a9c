// The questions of a sync asked by undici alone, the answers parsed and nothing else: what no sync can do without.
import { createSecureContext } from "node:tls";
import { Agent, type Dispatcher } from "undici";
import pLimit from "p-limit";

/** A question that was asked, as undici tells it. */
export interface Question {
  readonly origin: string;
  /** With its query string. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
}

/** One connection a host, over the same TLS as the service's, kept for as long. */
const agent = new Agent({
  connections: 1,
  allowH2: false,
  maxCachedSessions: 0,
  connect: { rejectUnauthorized: false, secureContext: createSecureContext() },
});

/** Asks each host its questions one after the other, `atOnce` hosts at once. @throws Error for an answer that is no success */
export async function askBarely(questions: readonly Question[], atOnce: number): Promise<void> {
  const hosts = [...Map.groupBy(questions, ({ origin }) => origin).values()];
  await pLimit(atOnce).map(hosts, async (asked) => {
    for (const question of asked) JSON.parse(await answerTo(question));
  });
}

const answerTo = ({ origin, path, headers }: Question): Promise<string> =>
  new Promise((resolve, reject) => {
    agent.dispatch({ origin, path, method: "GET", headers: [...headers] }, receiver(resolve, reject));
  });

function receiver(resolve: (answer: string) => void, reject: (error: Error) => void): Dispatcher.DispatchHandler {
  const parts: Buffer[] = [];
  return {
    onRequestStart: () => undefined,
    onResponseStart: (controller, status) => {
      if (status !== 200) controller.abort(new Error(`a question was answered with status ${status}`));
    },
    onResponseData: (_controller, part) => void parts.push(part),
    onResponseEnd: () => resolve(Buffer.concat(parts).toString("utf8")),
    onResponseError: (_controller, error) => reject(error),
  };
}
