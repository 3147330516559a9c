// Turns a validation error of zod into plain words, to follow the name of the field.
import type { z } from "zod";

const KINDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

/** For zod's `error` option; a message that a schema brings itself goes before. */
export function plainMessage(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined) return "is required";
  switch (issue.code) {
    case "invalid_type":
      return `must be ${KINDS[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be ${issue.values.map(String).join(" or ")}`;
    case "too_small":
      return `must be at least ${issue.minimum}${unitOf(issue.origin)}`;
    case "too_big":
      return `must be at most ${issue.maximum}${unitOf(issue.origin)}`;
    default:
      return "is malformed";
  }
}

const UNITS: Readonly<Record<string, string>> = { string: " characters long", array: " entries long" };

const unitOf = (origin: string): string => UNITS[origin] ?? "";
