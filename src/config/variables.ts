// The value types of environment variables; an empty value counts as unset.
import { z } from "zod";

export const emptyAsUnset = (value: unknown): unknown => (value === "" ? undefined : value);

/** A whole number within bounds, both included. */
export const whole = (fallback: number, minimum: number, maximum: number) =>
  z.preprocess(emptyAsUnset, z.coerce.number().int().min(minimum).max(maximum).default(fallback));

/** Seconds within bounds, both included; fractions are allowed. */
export const seconds = (fallback: number, minimum: number, maximum: number) =>
  z.preprocess(emptyAsUnset, z.coerce.number().min(minimum).max(maximum).default(fallback));
