// Recognises text that PostgreSQL does not hold: it takes every character but NUL.

/** `character_not_in_repertoire`, and what it says of JSON with `\u0000`. */
const CODES: ReadonlySet<unknown> = new Set(["22021", "22P05"]);

/** @returns whether a statement was refused for such text among its values, which only callers can have sent */
export const isUnstorableText = (error: unknown): boolean =>
  error instanceof Error && "code" in error && CODES.has(error.code);
