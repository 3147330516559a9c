// Ends the session at the service, and sees to it that a browser whose person has signed out does not keep its cookie.
import { SignOutDocument } from "../generated/documents.js";
import { clientOf } from "./client.js";
import { session } from "./session.js";

/** Set while the service has not answered: the browser still has the cookie. */
const UNANSWERED = "drover.signOut";

let leaving: Promise<void> = Promise.resolve();

/** Ends the session. A service that does not answer is asked again when the panel is opened next. */
export function signOut(): void {
  window.localStorage.setItem(UNANSWERED, "");
  leaving = ask();
}

/** Resolves when no answer is awaited that would take away the cookie of a session that begins now. */
export const untilSignedOut = (): Promise<void> => leaving;

/** Ends what an earlier sign-out could not, unless somebody has signed in since. */
export function finishSignOut(): void {
  if (window.localStorage.getItem(UNANSWERED) === null) return;
  if (session() === null) leaving = ask();
  else window.localStorage.removeItem(UNANSWERED);
}

async function ask(): Promise<void> {
  // The request is sent even if the page is left at once.
  const { error } = await clientOf({ keepalive: true }).mutation(SignOutDocument, {}).toPromise();
  if (error?.networkError === undefined) window.localStorage.removeItem(UNANSWERED);
}
