// Holds the one WebSocket to the service, and tells whether it is there: what is on screen is only live while it is.
import { createClient, type Client } from "graphql-ws";
import { useSyncExternalStore } from "react";
import { hasLapsed, lapseSession, onSession, session, type Session } from "./session.js";

/** Close code of the service for a session or a token that does not hold any more. */
const FORBIDDEN = 4403;
/** Milliseconds between two pings. */
const KEEP_ALIVE_MS = 10_000;
/** A connection on which a ping stays unanswered for so long is given up. A service that is merely busy answers within it. */
const SILENCE_MS = 15_000;
const LONGEST_PAUSE_MS = 8_000;
const FIRST_PAUSE_MS = 500;

/** `since`: when the connection was lost, milliseconds since 1970; null while it is there. */
export interface Connection {
  readonly state: "connecting" | "live" | "lost";
  readonly since: number | null;
  /** Counts connections: views are read again when it grows. */
  readonly epoch: number;
}

const listeners = new Set<() => void>();
let connection: Connection = { state: "connecting", since: null, epoch: 0 };

function change(next: Partial<Connection>): void {
  connection = { ...connection, ...next };
  for (const listener of listeners) listener();
}

export const currentConnection = (): Connection => connection;

export function onConnection(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const isAway = (): boolean => connection.state === "lost" && session() !== null;

/** Resolves at once unless the connection is lost; then when it is there again, or nobody is signed in any more. */
export function untilReachable(): Promise<void> {
  if (!isAway()) return Promise.resolve();
  return new Promise((resolve) => {
    const look = (): void => {
      if (isAway()) return;
      for (const stop of stops) stop();
      resolve();
    };
    const stops = [onConnection(look), onSession(look)];
  });
}

export const useConnection = (): Connection => useSyncExternalStore(onConnection, currentConnection);

/** Where the service takes WebSockets. */
export const socketAddress = (): string => `${window.location.origin.replace(/^http/, "ws")}/graphql`;

/** Whether the service has closed a connection because its session, or its token, does not hold. */
export const isRefusal = (event: unknown): boolean => event instanceof CloseEvent && event.code === FORBIDDEN;

/** Opens the connection of this session. Lost, it is opened again until it is disposed of or the session ends. */
export function connect(mine: Session): Client {
  let silence: number | undefined;
  const client = createClient({
    url: socketAddress(),
    lazy: false,
    keepAlive: KEEP_ALIVE_MS,
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: () => session() !== null && !hasLapsed(),
    retryWait: pause,
    onNonLazyError: noteLoss,
    on: {
      connected: () => change({ state: "live", since: null, epoch: connection.epoch + 1 }),
      closed: (event) => {
        window.clearTimeout(silence);
        if (isRefusal(event)) {
          lapseSession(mine);
          change({ state: "connecting", since: null });
        } else if (session() !== null) noteLoss();
      },
      ping: (received) => {
        if (received) return;
        silence = window.setTimeout(() => client.terminate(), SILENCE_MS);
      },
      pong: (received) => {
        if (received) window.clearTimeout(silence);
      },
    },
  });
  return client;
}

function noteLoss(): void {
  if (connection.state !== "lost") change({ state: "lost", since: Date.now() });
}

/** Longer from try to try, and never all browsers at once; a machine that comes back online tries at once. */
function pause(tries: number): Promise<void> {
  const milliseconds = Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS) * (0.75 + Math.random() / 2);
  return new Promise((resolve) => {
    const go = (): void => {
      window.clearTimeout(timer);
      window.removeEventListener("online", go);
      resolve();
    };
    const timer = window.setTimeout(go, milliseconds);
    window.addEventListener("online", go);
  });
}
