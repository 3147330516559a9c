// Reads JSON request bodies, refusing broken ones with the words of Perl's JSON::XS.
const source = "/usr/share/perl5/PVE/APIServer/AnyEvent.pm";
const decodeLine = 934;
const deleteLine = 978;

/** A body that the server's own code dies on: plain-text 500 (the text carries its Perl line). */
export class JsonBodyError extends Error {}

/**
 * Parses a body that must be a JSON object.
 * @throws JsonBodyError for broken JSON and for anything but an object
 */
export function parseJsonBody(text: string): Record<string, unknown> {
  const value = parse(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw new JsonBodyError(`${notAnObject(value)} at ${source} line ${deleteLine}.`);
}

function notAnObject(value: unknown): string {
  const shown = JSON.stringify(value).replaceAll(/^"|"$/g, "").slice(0, 32);
  if (Array.isArray(value)) return "Not a HASH reference";
  if (value === null) return "Can't use an undefined value as a HASH reference";
  return `Can't use string ("${shown}") as a HASH ref while "strict refs" in use`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const { problem, offset } = findFault(text);
    const rest = text.slice(offset);
    const shown = rest === "" ? "(end of string)" : rest;
    throw new JsonBodyError(
      `${problem}, at character offset ${offset} (before "${shown}") at ${source} line ${decodeLine}.`,
    );
  }
}

interface Fault {
  problem: string;
  offset: number;
}

const malformed = "malformed JSON string, neither tag, array, object, number, string or atom";

/** Walks over the text as JSON::XS does and tells where it gives up. */
function findFault(text: string): Fault {
  const reader = new Reader(text);
  const fault = reader.value();
  if (fault !== null) return fault;
  reader.skipSpace();
  return { problem: "garbage after JSON object", offset: reader.offset };
}

class Reader {
  offset = 0;

  constructor(private readonly text: string) {}

  skipSpace(): void {
    while (/[\t\n\r ]/.test(this.text.charAt(this.offset))) this.offset += 1;
  }

  value(): Fault | null {
    this.skipSpace();
    const next = this.text.charAt(this.offset);
    if (next === "{") return this.#members("}", "object/hash", () => this.#member());
    if (next === "[") return this.#members("]", "array", () => this.value());
    if (next === '"') return this.#string();
    return this.#atom();
  }

  #fault(problem: string): Fault {
    return { problem, offset: this.offset };
  }

  #members(close: string, name: string, readOne: () => Fault | null): Fault | null {
    this.offset += 1;
    this.skipSpace();
    if (this.#take(close)) return null;
    for (;;) {
      const fault = readOne();
      if (fault !== null) return fault;
      this.skipSpace();
      if (this.#take(close)) return null;
      if (!this.#take(",")) return this.#fault(`, or ${close} expected while parsing ${name}`);
      this.skipSpace();
    }
  }

  #member(): Fault | null {
    if (this.text.charAt(this.offset) !== '"') {
      return this.#fault(
        this.offset >= this.text.length ? "unexpected end of string while parsing JSON string" : malformed,
      );
    }
    const fault = this.#string();
    if (fault !== null) return fault;
    this.skipSpace();
    return this.#take(":") ? this.value() : this.#fault("':' expected");
  }

  #string(): Fault | null {
    const closed = /"(?:[^"\\]|\\[^])*"/y;
    closed.lastIndex = this.offset;
    const match = closed.exec(this.text);
    this.offset = match === null ? this.text.length : closed.lastIndex;
    return match === null ? this.#fault("unexpected end of string while parsing JSON string") : null;
  }

  #atom(): Fault | null {
    const known = /true|false|null|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
    known.lastIndex = this.offset;
    const match = known.exec(this.text);
    if (match === null) return this.#fault(malformed);
    this.offset = known.lastIndex;
    return null;
  }

  #take(character: string): boolean {
    if (this.text.charAt(this.offset) !== character) return false;
    this.offset += 1;
    return true;
  }
}
