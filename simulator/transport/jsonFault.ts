// Finds the place and the words in which Perl's JSON::XS gives up on a broken JSON text.

/** What is wrong with a text, and from which byte on. */
interface Fault {
  problem: string;
  offset: number;
}

const malformed = "malformed JSON string, neither tag, array, object, number, string or atom";
const shownLength = 20;

/** The complaint of JSON::XS about a text that is no JSON; offsets count bytes. */
export function describeFault(text: string): string {
  const bytes = Buffer.from(text, "utf8").toString("latin1");
  const { problem, offset } = findFault(bytes);
  const rest = Buffer.from(bytes.slice(offset), "latin1").toString("utf8");
  return `${problem}, at character offset ${offset} (before "${rest === "" ? "(end of string)" : shown(rest)}")`;
}

const escapes: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\f": "\\f",
  "\u0007": "\\a",
};

/** Perl prints what follows up to twenty characters, and everything but printable ASCII by its number. */
function shown(rest: string): string {
  let text = "";
  for (const character of rest) {
    if (text.length >= shownLength) return `${text}...`;
    const code = character.codePointAt(0) ?? 0;
    const isPlain = code >= 0x20 && code < 0x7f;
    text += escapes[character] ?? (isPlain ? character : `\\x{${code.toString(16)}}`);
  }
  return text;
}

function findFault(bytes: string): Fault {
  const reader = new Reader(bytes);
  const fault = reader.value();
  if (fault !== null) return fault;
  reader.skipSpace();
  return { problem: "garbage after JSON object", offset: reader.offset };
}

/** Walks over a text as the decoder does; every method answers the fault that it meets, or null. */
class Reader {
  offset = 0;

  constructor(private readonly text: string) {}

  skipSpace(): void {
    this.#match(/[\t\n\r ]*/y);
  }

  value(): Fault | null {
    this.skipSpace();
    const next = this.text.charAt(this.offset);
    if (next === "{") return this.#members("}", "object/hash", () => this.#member());
    if (next === "[") return this.#members("]", "array", () => this.value());
    if (next === '"') return this.#string();
    if (/[-\d]/.test(next)) return this.#number();
    return this.#atom(next);
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
    if (this.text.charAt(this.offset) !== '"') return this.#fault(`'"' expected`);
    const fault = this.#string();
    if (fault !== null) return fault;
    this.skipSpace();
    return this.#take(":") ? this.value() : this.#fault("':' expected");
  }

  #string(): Fault | null {
    this.offset += 1;
    for (;;) {
      this.#match(/(?:[^"\\\p{Cc}]|[\x7f-\x9f])*/uy);
      if (this.offset >= this.text.length) return this.#fault("unexpected end of string while parsing JSON string");
      if (this.#take('"')) return null;
      if (this.text.charAt(this.offset) !== "\\")
        return this.#fault("invalid character encountered while parsing JSON string");
      const fault = this.#escape();
      if (fault !== null) return fault;
    }
  }

  #escape(): Fault | null {
    if (this.#match(/\\["\\/bfnrt]/y) !== "") return null;
    if (this.#match(/\\u/y) === "") return this.#fault("illegal backslash escape sequence in string");
    const high = this.#match(/[\da-f]{4}/iy);
    if (high === "") return this.#fault("exactly four hexadecimal digits expected");
    if (!/^d[89ab]/i.test(high)) return null;
    if (this.#match(/\\u/y) === "") return this.#fault("missing low surrogate character in surrogate pair");
    return this.#match(/[\da-f]{4}/iy) === "" ? this.#fault("exactly four hexadecimal digits expected") : null;
  }

  #number(): Fault | null {
    this.#take("-");
    if (this.#take("0")) {
      if (/\d/.test(this.text.charAt(this.offset)))
        return this.#fault("malformed number (leading zero must not be followed by another digit)");
    } else if (this.#match(/\d+/y) === "") return this.#fault("malformed number (no digits after initial minus)");
    if (this.#take(".") && this.#match(/\d+/y) === "")
      return this.#fault("malformed number (no digits after decimal point)");
    if (this.#match(/[eE][-+]?/y) !== "" && this.#match(/\d+/y) === "")
      return this.#fault("malformed number (no digits after exp sign)");
    return null;
  }

  #atom(first: string): Fault | null {
    const word = { t: "true", f: "false", n: "null" }[first];
    if (word === undefined) return this.#fault(malformed);
    if (!this.text.startsWith(word, this.offset)) return this.#fault(`'${word}' expected`);
    this.offset += word.length;
    return null;
  }

  /** Steps over what the sticky expression finds here, and gives it. */
  #match(expression: RegExp): string {
    expression.lastIndex = this.offset;
    const found = expression.exec(this.text)?.[0] ?? "";
    this.offset += found.length;
    return found;
  }

  #take(character: string): boolean {
    if (this.text.charAt(this.offset) !== character) return false;
    this.offset += 1;
    return true;
  }
}
