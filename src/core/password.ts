// Decides which passwords people may choose, for guests and for the first admin.

const SHORTEST = 8;

/** @returns why it cannot be used; null when it can. Its length counts in characters, not in UTF-16 units. */
export function passwordFault(password: string): string | null {
  if (Array.from(password).length < SHORTEST) return `must be at least ${SHORTEST} characters long`;
  // A line break in it would end it early on the platform.
  return /\p{Cc}/u.test(password) ? "must not contain control characters" : null;
}
