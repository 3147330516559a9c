// Runs the operations of GraphiQL's frame as the person who is signed in: the browser sends their cookie for this page, never for the frame.
import { createClient } from "graphql-ws";
import { isRefusal, socketAddress } from "../client/connection.js";
import { refuseSession } from "../client/client.js";
import { lapseSession, session, type Session } from "../client/session.js";
import { texts } from "../texts/graphiql.js";
import { keepText } from "./kept.js";
import type { Answer, Request } from "./messages.js";

type Run = Extract<Request, { kind: "run" }>;
type Show = (result: unknown) => void;

/** Whom an operation is run as. */
interface Caller {
  readonly headers: Headers;
  /** Null: the person typed a token, which counts instead. */
  readonly session: Session | null;
}

/** Answers what comes over the port. @returns what ends it, with all operations that still run */
export function serveFrame(port: MessagePort): () => void {
  const running = new Map<number, AbortController>();
  const run = async (request: Run): Promise<void> => {
    const stop = new AbortController();
    const show: Show = (result) => port.postMessage({ kind: "result", id: request.id, result } satisfies Answer);
    running.set(request.id, stop);
    try {
      await (request.subscribes ? subscribe : ask)(request, stop.signal, show);
    } catch (error) {
      show({ errors: [{ message: error instanceof Error ? error.message : String(error) }] });
    } finally {
      running.delete(request.id);
      port.postMessage({ kind: "end", id: request.id } satisfies Answer);
    }
  };
  port.addEventListener("message", ({ data }: MessageEvent<Request>) => {
    if (data.kind === "run") void run(data);
    else if (data.kind === "cancel") running.get(data.id)?.abort();
    else keepText(data.name, data.text);
  });
  port.start();
  return () => {
    for (const stop of running.values()) stop.abort();
    port.close();
  };
}

/** @throws TypeError for a header that no request can carry */
function callerOf(typed: Run["headers"]): Caller {
  const headers = new Headers(typed);
  return { headers, session: headers.has("authorization") ? null : session() };
}

async function ask({ operation, headers: typed }: Run, signal: AbortSignal, show: Show): Promise<void> {
  const { headers, session: own } = callerOf(typed);
  headers.set("content-type", "application/json");
  const body = JSON.stringify(operation);
  const response = await fetch("/graphql", { method: "POST", headers, body, signal }).catch((error: unknown) => {
    throw new Error(texts.unreachable, { cause: error });
  });
  const result = resultOf(await response.text(), response.status);
  if (own !== null && refuseSession(errorsIn(result))) lapseSession(own);
  show(result);
}

/** What a proxy answers instead of the service may be anything. */
const errorsIn = (result: unknown): readonly Readonly<Record<string, unknown>>[] =>
  isObject(result) && Array.isArray(result["errors"]) ? result["errors"].filter(isObject) : [];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** @throws Error when it is no result of GraphQL: a proxy answered instead of the service */
function resultOf(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(texts.notJson(status), { cause: error });
  }
}

/** Why a connection ended: it was closed, or nothing was there to connect to, of which a browser tells no more than that. */
function faultOf(reason: unknown): unknown {
  if (reason instanceof CloseEvent) return new Error(texts.closed(reason.code, reason.reason));
  return reason instanceof Event ? new Error(texts.unreachable) : reason;
}

/** On a connection of its own, whose first message carries the headers. Resolves when the service has ended it. */
function subscribe({ operation, headers: typed }: Run, signal: AbortSignal, show: Show): Promise<void> {
  const { headers, session: own } = callerOf(typed);
  const client = createClient({
    url: socketAddress(),
    connectionParams: Object.fromEntries(headers),
    shouldRetry: (reason) => !isRefusal(reason),
  });
  return new Promise<void>((resolve, reject) => {
    const fail = (reason: unknown): void => {
      if (isRefusal(reason) && own !== null) lapseSession(own);
      if (Array.isArray(reason)) {
        show({ errors: reason });
        resolve();
      } else reject(faultOf(reason));
    };
    const stop = client.subscribe(operation, { next: show, error: fail, complete: resolve });
    signal.addEventListener("abort", stop);
  }).finally(() => void client.dispose());
}
