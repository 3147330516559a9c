// Identifies the unique constraint that a statement violated.

const UNIQUE_VIOLATION = "23505";

/** @returns the name of the broken unique constraint or index; null: it was something else */
export function brokenUnique(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || error.code !== UNIQUE_VIOLATION) return null;
  return "constraint" in error && typeof error.constraint === "string" ? error.constraint : "";
}
