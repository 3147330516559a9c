// The two scalars of the schema beside GraphQL's own: moments and integers beyond 32 bits.
import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from "graphql";

const RFC3339 = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;

/** Moments. Reads hand over ready text, which passes through; actions hand over dates. */
export const DateTime = new GraphQLScalarType<Date, string>({
  name: "DateTime",
  description: "A moment in RFC 3339, UTC, with milliseconds: `2026-03-01T12:00:00.000Z`.",
  serialize(value) {
    if (typeof value === "string") return value;
    if (value instanceof Date) return value.toISOString();
    throw new TypeError("DateTime cannot represent this value");
  },
  parseValue: parseMoment,
  parseLiteral: (node) => parseMoment(literal(node)),
});

/** Integers that may exceed 32 bits, such as byte counts. */
export const SafeInt = new GraphQLScalarType<number, number>({
  name: "SafeInt",
  description: "An integer of at most 2^53 - 1, such as a count of bytes.",
  serialize(value) {
    if (isSafeInteger(value)) return value;
    throw new TypeError("SafeInt cannot represent this value");
  },
  parseValue: parseSafeInteger,
  parseLiteral: (node) => parseSafeInteger(node.kind === Kind.INT ? Number(node.value) : literal(node)),
});

function parseMoment(value: unknown): Date {
  const moment =
    typeof value === "string" && RFC3339.test(value) && isDay(value.slice(0, DAY)) ? new Date(value) : null;
  if (moment === null || !isWritable(moment)) {
    throw new GraphQLError("DateTime must be a moment in RFC 3339, such as 2026-03-01T12:00:00Z");
  }
  return moment;
}

/** `YYYY-MM-DD` */
const DAY = 10;

/** JavaScript takes 30 February for 2 March. */
function isDay(day: string): boolean {
  const midnight = new Date(day);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}

/** Far from UTC the first and last days of four-digit years are in years that the format does not have. */
const isWritable = (moment: Date): boolean => !Number.isNaN(moment.getTime()) && RFC3339.test(moment.toISOString());

const isSafeInteger = (value: unknown): value is number => Number.isSafeInteger(value);

function parseSafeInteger(value: unknown): number {
  if (isSafeInteger(value)) return value;
  throw new GraphQLError("SafeInt must be an integer of at most 2^53 - 1");
}

const literal = (node: ValueNode): unknown => (node.kind === Kind.STRING ? node.value : undefined);
