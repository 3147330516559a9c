// Keeps who is signed in. The session itself is a cookie of the browser, which no script can read.
import { useSyncExternalStore } from "react";

const KEY = "drover.signedIn";
/** Where earlier releases kept the session's token. */
const FORMER_KEY = "drover.session";
/** Set while the service has not answered a sign-out: the browser still has the cookie. */
export const SIGN_OUT_UNANSWERED = "drover.signOut";
/** Where the browser keeps what the person who is signed in leaves to find again. */
export const KEPT_UNTIL_SIGN_OUT = "drover.graphiql";

/** A session that was opened at sign-in. */
export interface Session {
  /** Moment in RFC 3339, which tells sessions of this browser apart. */
  readonly expiresAt: string;
  readonly username: string;
}

window.localStorage.removeItem(FORMER_KEY);

const listeners = new Set<() => void>();
let current = stored();
let lapsed = false;

/** @returns null also for what is no session */
function stored(): Session | null {
  const kept = parsed(window.localStorage.getItem(KEY) ?? "null");
  return isSession(kept) && Date.parse(kept.expiresAt) > Date.now() ? kept : null;
}

/** @returns null for what cannot be read */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isSession(kept: unknown): kept is Session {
  return (
    typeof kept === "object" &&
    kept !== null &&
    "username" in kept &&
    typeof kept.username === "string" &&
    "expiresAt" in kept &&
    typeof kept.expiresAt === "string"
  );
}

/** Who is signed in now. */
export const session = (): Session | null => current;

/** Begins or, with null, ends the session in every tab. */
export function keepSession(next: Session | null): void {
  const gone = next === null ? [KEY, KEPT_UNTIL_SIGN_OUT] : [SIGN_OUT_UNANSWERED];
  for (const key of gone) window.localStorage.removeItem(key);
  if (next !== null) window.localStorage.setItem(KEY, JSON.stringify(next));
  change(next);
}

/**
 * Notes that the service refuses this session. Who is signed in stays known, and the page stays as it is: its person signs in again over
 * it, or leaves.
 */
export function lapseSession(refused: Session): void {
  if (current?.expiresAt !== refused.expiresAt || lapsed) return;
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
