// Makes text from hosts and callers safe for a terminal: control characters become visible escapes and cannot steer it.

/** Controls (C0, C1), invisible format characters such as direction overrides, and Unicode's line separators. */
const UNSAFE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** @returns the text with each unsafe character as `\u{…}` of its code point; the caller has replaced line breaks that it wants to keep */
export const terminalText = (text: string): string =>
  text.replaceAll(UNSAFE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
