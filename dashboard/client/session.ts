// Keeps who is signed in: the session's token lives in this browser until it ends or the person signs out.
import { useSyncExternalStore } from "react";

const KEY = "drover.session";
/** Where the browser keeps what the person who is signed in leaves to find again. */
export const KEPT_UNTIL_SIGN_OUT = "drover.graphiql";

/** A session that was opened at sign-in. */
export interface Session {
  readonly token: string;
  /** Moment in RFC 3339. */
  readonly expiresAt: string;
  readonly username: string;
}

const listeners = new Set<() => void>();
let current = stored();
let lapsed = false;

function stored(): Session | null {
  const text = window.localStorage.getItem(KEY);
  if (text === null) return null;
  const session: Session = JSON.parse(text);
  return Date.parse(session.expiresAt) > Date.now() ? session : null;
}

/** Who is signed in now. */
export const session = (): Session | null => current;

/** Begins or, with null, ends the session in every tab. */
export function keepSession(next: Session | null): void {
  if (next === null) for (const key of [KEY, KEPT_UNTIL_SIGN_OUT]) window.localStorage.removeItem(key);
  else window.localStorage.setItem(KEY, JSON.stringify(next));
  change(next);
}

/**
 * Notes that the service refuses the session with this token. Who is signed in stays known, and the page stays as it is: its person
 * signs in again over it, or leaves.
 */
export function lapseSession(token: string): void {
  if (current?.token !== token || lapsed) return;
  lapsed = true;
  tell();
}

/** Whether the present session is one that the service refuses. */
export const hasLapsed = (): boolean => lapsed;

function change(next: Session | null): void {
  current = next;
  lapsed = false;
  tell();
}

function tell(): void {
  for (const listener of listeners) listener();
}

/** Calls back whenever somebody signs in or out, in this tab or another. */
export function onSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

window.addEventListener("storage", ({ key }) => {
  if (key === KEY) change(stored());
});

export const useLapsed = (): boolean => useSyncExternalStore(onSession, hasLapsed);

export const useSession = (): Session | null => useSyncExternalStore(onSession, session);
