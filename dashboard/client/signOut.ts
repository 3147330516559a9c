// Signs out: ends the session at the service, and sees to it that a browser does not keep the cookie of somebody who has left.
import { SignOutDocument } from "../generated/documents.js";
import { clientOf, refuseSession } from "./client.js";
import { keepSession, session, SIGN_OUT_UNANSWERED } from "./session.js";

/** Milliseconds for an answer; a service that takes longer is asked again. */
const PATIENCE_MS = 10_000;
/** Milliseconds that a sign-in waits for the end of the session before. */
const LONGEST_WAIT_MS = 5_000;

let leaving: Promise<void> = Promise.resolve();

/** Ends the session here, and at the service, which is asked again when the panel is opened next if it does not answer. */
export function signOut(): void {
  window.localStorage.setItem(SIGN_OUT_UNANSWERED, "");
  keepSession(null);
  leaving = ask();
}

/** Ends what an earlier sign-out could not, unless somebody has signed in since. */
export function finishSignOut(): void {
  if (isUnanswered() && session() === null) leaving = ask();
}

/** Resolves when no answer is awaited, in any tab, that would take away the cookie of a session that begins now; or after some seconds. */
export function untilSignedOut(): Promise<void> {
  if (!isUnanswered()) return Promise.resolve();
  return new Promise((resolve) => {
    const go = (): void => {
      window.clearTimeout(timer);
      window.removeEventListener("storage", look);
      resolve();
    };
    const look = (): void => {
      if (!isUnanswered()) go();
    };
    const timer = window.setTimeout(go, LONGEST_WAIT_MS);
    window.addEventListener("storage", look);
    void leaving.then(look);
  });
}

const isUnanswered = (): boolean => window.localStorage.getItem(SIGN_OUT_UNANSWERED) !== null;

async function ask(): Promise<void> {
  // The request is sent even if the page is left at once.
  const client = clientOf({ keepalive: true, signal: AbortSignal.timeout(PATIENCE_MS) });
  const { data, error } = await client.mutation(SignOutDocument, {}).toPromise();
  const isOver = data !== undefined || refuseSession(error?.graphQLErrors ?? []);
  if (isOver && session() === null) window.localStorage.removeItem(SIGN_OUT_UNANSWERED);
}
