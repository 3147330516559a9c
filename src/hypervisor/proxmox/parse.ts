// Reads the platform's loose JSON: booleans as 1, "1" or a missing key, texts as numbers, null or no key for what is not known.
import { z } from "zod";
import { PlatformReason, platformError } from "../platformError.js";

/** 1, "1" or true; anything else, also a missing key, is false. */
export const isTrue = (value: unknown): boolean => value === true || value === 1 || value === "1";

/** `isTrue` of a key. */
export const flag = z.unknown().optional().transform(isTrue);

/** What a host says beyond this is left out; its longest texts are descriptions of guests. */
const LONGEST_TEXT = 16_384;
/** Of nodes, storages, guests and files: the platform allows 255 at most. Databases keep no index of longer ones. */
const LONGEST_NAME = 500;

/** @returns text, or a number that a text was taken for (a guest named `100`); null for anything else and for no text. */
export function textIn(value: unknown): string | null {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== ""
    ? storable(value.length > LONGEST_TEXT ? value.slice(0, LONGEST_TEXT) : value)
    : null;
}

/** @returns `textIn`; null for what is too long to be a name */
export function nameIn(value: unknown): string | null {
  const name = textIn(value);
  return name === null || name.length > LONGEST_NAME ? null : name;
}

/** @returns the text as a database can keep it: without NUL and halves of characters, which no text of the platform has. */
export const storable = (text: string): string =>
  UNUSUAL.test(text) ? text.toWellFormed().replaceAll("\0", "\uFFFD") : text;

/** NUL, and halves of characters, the two of a whole one included. One look is quicker than two exact ones. */
const UNUSUAL = /[\0\uD800-\uDFFF]/;

/** `nameIn` of a key that must be there: without it the rest means nothing. */
export const text = z.unknown().transform((value, context) => {
  const found = nameIn(value);
  if (found !== null) return found;
  context.addIssue({ code: "custom", message: "expected a text" });
  return z.NEVER;
});

/** `textIn` of a key that may be missing. */
export const textOrNull = z.unknown().optional().transform(textIn);

/** `nameIn` of a key that may be missing. */
export const nameOrNull = z.unknown().optional().transform(nameIn);

/** A list; null is an empty one. */
export const listOf = <Row extends z.ZodType>(row: Row) =>
  z
    .array(row)
    .nullish()
    .transform((rows) => rows ?? []);

/** @returns the rows whose key was not there before: a list may name a thing twice. */
export function onceEach<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row[] {
  const byKey = new Map<string, Row>();
  for (const row of rows) if (!byKey.has(keyOf(row))) byKey.set(keyOf(row), row);
  return [...byKey.values()];
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * An object with any keys; without a schema, for the answer that is asked for most.
 * @param source who answered to what, for the message.
 * @throws DroverError PLATFORM_UNINTELLIGIBLE
 */
export function record(data: unknown, source: string): Readonly<Record<string, unknown>> {
  if (isRecord(data)) return data;
  throw senseless(source, "data: expected an object");
}

/** The same of a list; null is an empty one. Without a schema, for lists that are long and asked for often. */
export function records(data: unknown, source: string): readonly Readonly<Record<string, unknown>>[] {
  const rows: unknown = data ?? [];
  if (Array.isArray(rows) && rows.every(isRecord)) return rows;
  throw senseless(source, "data: expected a list of objects");
}

/**
 * @param source who answered to what, for the message.
 * @throws DroverError PLATFORM_UNINTELLIGIBLE that names the place; never a value
 */
export function understand<Schema extends z.ZodType>(schema: Schema, data: unknown, source: string): z.output<Schema> {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const places = parsed.error.issues.slice(0, 3).map(({ path, message }) => `${path.join(".") || "data"}: ${message}`);
  throw senseless(source, places.join("; "));
}

/** @param source who answered to what: `rack1 to /version`. @param why names the place; never a value */
export const senseless = (source: string, why: string): Error =>
  platformError(PlatformReason.UNINTELLIGIBLE, `The answer of ${source} makes no sense: ${why}`, { place: source });
