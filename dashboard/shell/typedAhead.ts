// Keeps what is typed after the keys of the search until its field is there: it is meant for the field, not for the page.

/** What was typed: the text, and whether Enter came after it. */
export interface Typed {
  readonly text: string;
  readonly entered: boolean;
}

let kept: Typed | null = null;

/** Keeps all that is typed from now on, until it is taken, or the person presses Escape or a button of the mouse. */
export function keepTyped(): void {
  if (kept !== null) return;
  kept = { text: "", entered: false };
  // Before everything else that listens to keys.
  window.addEventListener("keydown", press, { capture: true });
  window.addEventListener("pointerdown", dropTyped, { capture: true });
}

/** Whether what is typed is kept: the person still waits for the field. */
export const isTypedKept = (): boolean => kept !== null;

/** For the field, once it has the keyboard; null when nothing was kept. */
export function takeTyped(): Typed | null {
  const typed = kept;
  dropTyped();
  return typed;
}

export function dropTyped(): void {
  kept = null;
  window.removeEventListener("keydown", press, { capture: true });
  window.removeEventListener("pointerdown", dropTyped, { capture: true });
}

function press(event: KeyboardEvent): void {
  if (kept === null) return;
  if (event.key === "Escape") {
    dropTyped();
    return;
  }
  const next = isCommand(event) ? null : after(kept, event.key);
  if (next === null) return;
  // Who holds Enter down on the button of the search means the button.
  if (!event.repeat || event.key !== "Enter") kept = next;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** @returns null for a key that types nothing */
function after(typed: Typed, key: string): Typed | null {
  if (key === "Enter") return { ...typed, entered: true };
  if (key === "Backspace") return { ...typed, text: Array.from(typed.text).slice(0, -1).join("") };
  if (Array.from(key).length !== 1) return null;
  // After Enter no more is meant for the field.
  return typed.entered ? typed : { ...typed, text: typed.text + key };
}

/** With AltGr, which many browsers tell as Ctrl and Alt, signs are typed. */
const isCommand = (event: KeyboardEvent): boolean =>
  (event.ctrlKey || event.metaKey) && !event.getModifierState("AltGraph");
