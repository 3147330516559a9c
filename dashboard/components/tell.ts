// Tells people what came of what they asked for, and asks before what cannot be taken back.
import type { ReactNode } from "react";
import type { CombinedError } from "urql";
import { messageOf } from "./Answer.js";

/** A word in the corner. */
interface Notice {
  readonly title?: string;
  readonly message: string;
  readonly color: string;
  /** Milliseconds until it goes. */
  readonly autoClose?: number;
}

export interface Confirmation {
  /** Names the thing, such as `Delete web1 (500)?`. */
  readonly title: string;
  readonly children: ReactNode;
  /** The verb on the button. */
  readonly verb: string;
  /** On the other button. */
  readonly cancel?: string;
  readonly danger?: boolean;
}

/** A question and who waits for its answer. */
export interface Question extends Confirmation {
  readonly answer: (agreed: boolean) => void;
}

/** What shows notices and questions; it is loaded beside the first page and not before it. */
export interface Voices {
  show(notice: Notice): void;
  ask(question: Question): void;
}

let voices: Voices | null = null;
const waiting: ((lent: Voices) => void)[] = [];

function withVoices(speak: (lent: Voices) => void): void {
  if (voices === null) waiting.push(speak);
  else speak(voices);
}

/** Called once by what shows them; what was said before is shown then. */
export function lendVoices(lent: Voices): void {
  voices = lent;
  for (const speak of waiting.splice(0)) speak(lent);
}

export const tellDone = (message: string): void => withVoices((lent) => lent.show({ message, color: "teal" }));

export const tellTrouble = (title: string, message: string): void =>
  withVoices((lent) => lent.show({ title, message, color: "red", autoClose: 12_000 }));

export const tellFailure = (title: string, error: CombinedError): void => tellTrouble(title, messageOf(error));

/** Resolves with whether the person agreed. */
export const confirm = (asked: Confirmation): Promise<boolean> =>
  new Promise((answer) => withVoices((lent) => lent.ask({ ...asked, answer })));
