// Reads fields out of parsed JSON and collects a problem, with the field's full path, for each that is not as it must be.
import type { Problem } from "../../../src/core/problem.js";

/** The numbers that a field may hold; both ends belong to it. */
interface NumberRange {
  readonly least: number;
  readonly most?: number;
  readonly whole?: boolean;
}

export const ANY_NUMBER: NumberRange = { least: Number.MIN_SAFE_INTEGER };
export const ANY_AMOUNT: NumberRange = { least: 0 };
export const COUNT: NumberRange = { least: 0, whole: true };
export const POSITIVE_COUNT: NumberRange = { least: 1, whole: true };

/**
 * One object of the input. Every method answers with a usable value even where it found a problem, so that one pass
 * finds them all; what was read counts only when `problems` is still empty at the end.
 */
export class JsonReader {
  readonly #object: object;

  constructor(
    value: unknown,
    private readonly path: string,
    readonly problems: Problem[],
  ) {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (!isObject) problems.push({ field: path || "input", message: "must be an object" });
    this.#object = isObject ? value : {};
  }

  /** @returns whether the field is there and not null. */
  has(name: string): boolean {
    return (this.#value(name) ?? null) !== null;
  }

  /** @returns the number in range; without a fallback the field is required. */
  number(name: string, range: NumberRange, fallback?: number): number {
    if (!this.has(name) && fallback !== undefined) return fallback;
    const value = this.#value(name);
    if (typeof value === "number" && isWithin(value, range)) return value;
    this.refuse(name, `must be ${describeRange(range)}`);
    return range.least;
  }

  /** @returns the number in range, or null when the field is missing or null. */
  numberOrNull(name: string, range: NumberRange): number | null {
    return this.has(name) ? this.number(name, range) : null;
  }

  /** @returns the text; required, and never empty. */
  text(name: string): string {
    const value = this.#value(name);
    if (typeof value === "string" && value !== "") return value;
    this.refuse(name, "must be text");
    return "";
  }

  /** @returns true or false; the fallback when the field is missing. */
  flag(name: string, fallback: boolean): boolean {
    const value = this.#value(name) ?? fallback;
    if (typeof value === "boolean") return value;
    this.refuse(name, "must be true or false");
    return fallback;
  }

  /** @returns a count; true counts as 1, false or a missing field as 0. */
  flagOrCount(name: string): number {
    return typeof this.#value(name) === "boolean" ? Number(this.flag(name, false)) : this.number(name, COUNT, 0);
  }

  /** @returns the value, which must be one of these. */
  oneOf<Choice extends string>(name: string, choices: readonly [Choice, ...Choice[]]): Choice {
    const value = choices.find((choice) => choice === this.#value(name));
    if (value === undefined) this.refuse(name, `must be ${choices.join(" or ")}`);
    return value ?? choices[0];
  }

  /** @returns the object in the field; a missing one reads as empty. */
  object(name: string): JsonReader {
    return new JsonReader(this.#value(name) ?? {}, this.#at(name), this.problems);
  }

  /** Refuses the input without this field. */
  require(name: string): void {
    if (!this.has(name)) this.refuse(name, "is required");
  }

  /** @returns what `read` makes of each object of a list; a missing list is empty. */
  list<Item>(name: string, read: (item: JsonReader) => Item): Item[] {
    return this.#values(name).map((value, index) =>
      read(new JsonReader(value, `${this.#at(name)}[${index}]`, this.problems)),
    );
  }

  /** @returns the plain values of a list that `is` accepts; a missing list is empty. */
  listOf<Item>(name: string, is: (value: unknown) => value is Item, what: string): Item[] {
    const values = this.#values(name);
    const good = values.filter(is);
    if (good.length < values.length) this.refuse(name, `must be a list of ${what}`);
    return good;
  }

  /** Records a problem of a field of this object. */
  refuse(name: string, message: string): void {
    this.problems.push({ field: this.#at(name), message });
  }

  /** Only the object's own fields count: a name such as `constructor` must find nothing else. */
  #value(name: string): unknown {
    return Object.hasOwn(this.#object, name) ? Reflect.get(this.#object, name) : undefined;
  }

  #values(name: string): readonly unknown[] {
    const value: unknown = this.#value(name) ?? [];
    if (Array.isArray(value)) return value;
    this.refuse(name, "must be a list");
    return [];
  }

  #at(name: string): string {
    return this.path === "" ? name : `${this.path}.${name}`;
  }
}

const isWithin = (value: number, { least, most = Number.MAX_SAFE_INTEGER, whole }: NumberRange): boolean =>
  value >= least && value <= most && (!whole || Number.isInteger(value));

function describeRange({ least, most, whole }: NumberRange): string {
  const kind = whole ? "an integer" : "a number";
  return most === undefined ? `${kind} of at least ${least}` : `${kind} from ${least} to ${most}`;
}
