// Converts numbers, booleans and lists that a heartbeat sends as text: forms know nothing else, and some programs quote everything.

const NUMBERS = ["protocol", "cpu_usage", "memory_mb", "memory_used_mb"] as const;
const FLAGS = ["healthy", "nat_configured"] as const;
const COERCIBLE = [...NUMBERS, ...FLAGS];
const DECIMAL = /^\d+(?:\.\d+)?$/;
const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false };

/** @returns the body with numbers and booleans in place of their text; other text is left for validation to refuse. */
export function coerced(body: unknown): unknown {
  if (!isRecord(body) || !COERCIBLE.some((name) => typeof body[name] === "string")) return body;
  const read: Record<string, unknown> = { ...body };
  for (const name of NUMBERS) read[name] = numberOf(read[name]);
  for (const name of FLAGS) read[name] = flagOf(read[name]);
  return read;
}

/** A form: blank fields were not filled in, `problems` may be repeated, `results` is the JSON of the list. */
export function coercedForm(form: Readonly<Record<string, unknown>>): unknown {
  const { problems, results, ...rest } = Object.fromEntries(Object.entries(form).filter(([, value]) => value !== ""));
  return coerced({
    ...rest,
    ...(problems === undefined ? {} : { problems: [problems].flat() }),
    ...(results === undefined ? {} : { results: jsonOf(results) }),
  });
}

const isRecord = (body: unknown): body is Readonly<Record<string, unknown>> =>
  typeof body === "object" && body !== null && !Array.isArray(body);

const numberOf = (value: unknown): unknown =>
  typeof value === "string" && DECIMAL.test(value) ? Number(value) : value;
const flagOf = (value: unknown): unknown => (typeof value === "string" ? (BOOLEANS[value] ?? value) : value);

/** Text that is no JSON stays text, which is no list of results. */
function jsonOf(value: unknown): unknown {
  try {
    return typeof value === "string" ? JSON.parse(value) : value;
  } catch (error) {
    if (error instanceof SyntaxError) return value;
    throw error;
  }
}
