// Reads the platform's loose JSON: booleans as 1, "1" or a missing key, numbers as text, missing keys of every kind.
import { z } from "zod";
import { PlatformReason, platformError } from "../platformError.js";

/** 1, "1" or true; anything else, also a missing key, is false. */
export const isTrue = (value: unknown): boolean => value === true || value === 1 || value === "1";

/** `isTrue` of a key. */
export const flag = z.unknown().optional().transform(isTrue);

const numeric = z.union([z.number(), z.string().regex(/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i)]).transform(Number);

/** A number, or a number as text. */
export const amount = numeric;

/** The same; null when the key is missing or null. */
export const amountOrNull = numeric.nullish().transform((value) => value ?? null);

/** The same; 0 when the key is missing or null. */
export const amountOrZero = numeric.nullish().transform((value) => value ?? 0);

/** Text, or a number that a text was taken for (a guest named `100`). */
export const text = z.union([z.string(), z.number()]).transform(String);

export const textOrNull = text.nullish().transform((value) => value ?? null);

/** Seconds since 1970. */
export const moment = numeric.transform((seconds) => new Date(seconds * 1000));

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * An object with any keys; without a schema, for the answer that is asked for most.
 * @param source what was asked, for the message.
 * @throws DroverError PLATFORM_UNINTELLIGIBLE
 */
export function record(data: unknown, source: string): Readonly<Record<string, unknown>> {
  if (isRecord(data)) return data;
  throw platformError(
    PlatformReason.UNINTELLIGIBLE,
    `The answer to ${source} makes no sense: data: expected an object`,
  );
}

/**
 * @param source what was asked, for the message.
 * @throws DroverError PLATFORM_UNINTELLIGIBLE that names the place; never a value
 */
export function understand<Schema extends z.ZodType>(schema: Schema, data: unknown, source: string): z.output<Schema> {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const places = parsed.error.issues.slice(0, 3).map(({ path, message }) => `${path.join(".") || "data"}: ${message}`);
  throw platformError(PlatformReason.UNINTELLIGIBLE, `The answer to ${source} makes no sense: ${places.join("; ")}`);
}
