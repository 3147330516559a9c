// Expects a refusal of the service.
import assert from "node:assert/strict";
import { DroverError, type ErrorKind } from "../../src/errors/errors.js";

/** Fails unless `work` is refused with this kind of error, and with this reason where one is given. @returns the error */
export async function refusedAs(kind: ErrorKind, work: Promise<unknown>, reason?: string): Promise<DroverError> {
  const error = await work.then(
    (value) => assert.fail(`expected ${kind}, got ${JSON.stringify(value)}`),
    (cause: unknown) => cause,
  );
  if (!(error instanceof DroverError)) throw error;
  assert.equal(error.kind, kind, error.message);
  if (reason !== undefined) assert.equal(error.reason, reason, error.message);
  return error;
}

/** Fails unless `work` is refused for exactly these fields, in any order. */
export async function refusedFields(fields: readonly string[], work: Promise<unknown>): Promise<void> {
  const error = await refusedAs("validation", work);
  const named = error.fields.map(({ field }) => field);
  assert.deepEqual(named.toSorted(byText), fields.toSorted(byText), error.message);
  for (const field of fields) assert.ok(error.message.includes(field), error.message);
}

const byText = (left: string, right: string): number => left.localeCompare(right);
