// Checks how the driver refuses: kind, reason, words, and that no secret is in it.
import assert from "node:assert/strict";
import { inspect } from "node:util";
import { DroverError } from "../../../src/errors.js";
import type { PlatformReason } from "../../../src/hypervisor/platformError.js";

/** Waits for the refusal. @returns its message */
export async function refusal(
  promise: Promise<unknown>,
  reason: PlatformReason,
  words: RegExp | string = "",
): Promise<string> {
  const error: unknown = await promise.then(
    (value) => assert.fail(`not refused: ${inspect(value)}`),
    (rejected: unknown) => rejected,
  );
  assert.ok(error instanceof DroverError, inspect(error));
  assert.deepEqual([error.kind, error.reason], ["platform", reason], error.message);
  if (typeof words === "string") assert.ok(error.message.includes(words), error.message);
  else assert.match(error.message, words);
  return error.message;
}
