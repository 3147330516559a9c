// The kinds of values that requests carry: how each is read from text or JSON, and how it is described.
import { cappedInteger, LARGEST_INT, positiveInteger } from "../src/core/integer.js";
import { DEFAULT_PER_PAGE, MAXIMUM_PER_PAGE } from "../src/core/paging.js";
import type { JsonSchema } from "./openapi/jsonSchema.js";

/** One kind of value. */
export interface Kind {
  /** @returns the value as GraphQL takes it; null when `raw` (text, or anything that JSON holds) is none of this kind */
  read(raw: unknown): unknown;
  /** Follows the field's name in a refusal: "must be …". */
  readonly expectation: string;
  readonly schema: JsonSchema;
}

/** Ids, counts and sizes: from 1; decimal text does as well. */
export const positive: Kind = {
  read: (raw) => positiveInteger(raw),
  expectation: "must be a positive integer",
  schema: { type: "integer", minimum: 1, maximum: LARGEST_INT },
};

/** A page's number: beyond the last one is an empty page, however far. */
export const pageNumber: Kind = { ...positive, read: (raw) => cappedInteger(raw, LARGEST_INT) };

/** Records a page: more than the maximum counts as the maximum. */
export const pageSize: Kind = {
  read: (raw) => cappedInteger(raw, MAXIMUM_PER_PAGE),
  expectation: "must be a positive integer",
  schema: { type: "integer", minimum: 1, maximum: MAXIMUM_PER_PAGE, default: DEFAULT_PER_PAGE },
};

/** PostgreSQL's text holds every character but this. */
const isStorable = (text: string): boolean => !text.includes("\0");

export const text: Kind = {
  read: (raw) => (typeof raw === "string" && isStorable(raw) ? raw : null),
  expectation: "must be text",
  schema: { type: "string" },
};

/** A node's name in a path: the service says itself which are malformed, once it knows the host. */
export const nodeName: Kind = {
  read: (raw) => (typeof raw === "string" ? raw.replaceAll("\0", "\uFFFD") : null),
  expectation: "must be a node name",
  schema: { type: "string" },
};

/** An id of another system: a number is taken as its digits. */
export const externalId: Kind = {
  read: (raw) => text.read(typeof raw === "number" && Number.isSafeInteger(raw) ? String(raw) : raw),
  expectation: "must be text",
  schema: { type: "string" },
};

const WORDS_OF_BOOLEANS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  ["true", true],
  [1, true],
  ["1", true],
  [false, false],
  ["false", false],
  [0, false],
  ["0", false],
]);

/** Yes or no; forms have only text. */
export const yesOrNo: Kind = {
  read: (raw) => WORDS_OF_BOOLEANS.get(raw) ?? null,
  expectation: "must be true or false",
  schema: { type: "boolean" },
};

/** Several texts: a JSON list, a repeated form field, or one text with a line each. */
export const textList: Kind = {
  read(raw) {
    const lines = typeof raw === "string" ? raw.split(/\r?\n/).filter((line) => line.trim() !== "") : raw;
    return Array.isArray(lines) && lines.every((line) => text.read(line) !== null) ? lines : null;
  },
  expectation: "must be a list of text",
  schema: { type: "array", items: { type: "string" } },
};

/** One of a closed set of lower-case values; GraphQL's name of it is the same in upper case. */
export const choice = (...values: readonly string[]): Kind => ({
  read: (raw) => (typeof raw === "string" && values.includes(raw) ? raw.toUpperCase() : null),
  expectation: `must be ${values.join(" or ")}`,
  schema: { type: "string", enum: values },
});
