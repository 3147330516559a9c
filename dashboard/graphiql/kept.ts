// Keeps the tabs of GraphiQL for one person: the next one who signs in to this browser finds none of it.
import { KEPT_UNTIL_SIGN_OUT, session } from "../client/session.js";

/** Characters. Beyond them GraphiQL's newest is not kept, and the panel's own storage keeps its room. */
const MOST_KEPT = 500_000;

interface Kept {
  readonly username: string;
  readonly texts: Readonly<Record<string, string>>;
}

/** What was kept for the person who is signed in, by GraphiQL's names. */
export function keptTexts(): Kept["texts"] {
  const stored = window.localStorage.getItem(KEPT_UNTIL_SIGN_OUT);
  if (stored === null) return {};
  const { username, texts }: Kept = JSON.parse(stored);
  return username === session()?.username ? texts : {};
}

/** @param text null removes what stands under the name */
export function keepText(name: string, text: string | null): void {
  const username = session()?.username;
  if (username === undefined) return;
  const { [name]: _before, ...others } = keptTexts();
  const texts = text === null ? others : { ...others, [name]: text };
  const kept = JSON.stringify({ username, texts } satisfies Kept);
  if (kept.length <= MOST_KEPT) window.localStorage.setItem(KEPT_UNTIL_SIGN_OUT, kept);
}
