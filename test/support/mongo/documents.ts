// Finds and changes documents as MongoDB does, with the operators that the job queue uses; any other one is an error.
import { BSON, type Document } from "mongodb";

/** A value that can be ordered and compared: dates and ids have none of their own. */
function comparable(value: unknown): unknown {
  if (value instanceof Date) return value.getTime();
  if (value instanceof BSON.ObjectId) return value.toHexString();
  return value ?? null;
}

const isEqual = (left: unknown, right: unknown): boolean => comparable(left) === comparable(right);

/** Only values of one type are ordered: null is not less than a date. */
function isOrdered(left: unknown, right: unknown, test: (a: number | string, b: number | string) => boolean): boolean {
  const [a, b] = [comparable(left), comparable(right)];
  if (typeof a === "number" && typeof b === "number") return test(a, b);
  return typeof a === "string" && typeof b === "string" && test(a, b);
}

const OPERATORS: Readonly<Record<string, (value: unknown, operand: unknown) => boolean>> = {
  $eq: isEqual,
  $ne: (value, operand) => !isEqual(value, operand),
  $in: (value, operand) => Array.isArray(operand) && operand.some((each) => isEqual(value, each)),
  $lt: (value, operand) => isOrdered(value, operand, (a, b) => a < b),
  $lte: (value, operand) => isOrdered(value, operand, (a, b) => a <= b),
};

const isOperators = (condition: unknown): condition is Document =>
  typeof condition === "object" &&
  condition !== null &&
  Object.keys(condition).length > 0 &&
  Object.keys(condition).every((key) => key.startsWith("$"));

function fits(value: unknown, condition: unknown): boolean {
  if (!isOperators(condition)) return isEqual(value, condition);
  return Object.entries(condition).every(([name, operand]) => {
    const operator = OPERATORS[name];
    if (operator === undefined) throw new Error(`The stand-in of MongoDB does not know ${name}`);
    return operator(value, operand);
  });
}

/** Whether the document fits the query. */
export const matches = (document: Document, query: Document): boolean =>
  Object.entries(query).every(([field, condition]) =>
    field === "$or"
      ? Array.isArray(condition) && condition.some((each) => matches(document, each))
      : fits(document[field], condition),
  );

/** The documents that fit, in the order of `sort`. */
export function find(documents: readonly Document[], query: Document, sort: Document = {}): Document[] {
  const keys = Object.entries(sort);
  return documents
    .filter((document) => matches(document, query))
    .toSorted((left, right) => {
      for (const [field, direction] of keys) {
        const [a, b] = [Number(comparable(left[field])), Number(comparable(right[field]))];
        if (a !== b) return (a - b) * Number(direction);
      }
      return 0;
    });
}

/** Changes the document in place. */
export function change(document: Document, update: Document): void {
  for (const [operator, fields] of Object.entries(update)) {
    if (operator === "$set") Object.assign(document, fields);
    else if (operator === "$unset") for (const field of Object.keys(fields)) delete document[field];
    else if (operator === "$setOnInsert") continue;
    else throw new Error(`The stand-in of MongoDB does not know ${operator}`);
  }
}
