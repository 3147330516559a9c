// Recognises the refusal of text that PostgreSQL cannot store: NUL characters.

/** `character_not_in_repertoire`, and `untranslatable_character` for JSON with `\u0000`. */
const CODES: ReadonlySet<unknown> = new Set(["22021", "22P05"]);

/** @returns whether a statement was refused for such text among its values, which can only come from a caller */
export const isUnstorableText = (error: unknown): boolean =>
  error instanceof Error && "code" in error && CODES.has(error.code);
