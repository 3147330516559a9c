// Checks how the driver refuses: kind, reason, words, and that no address is in what everybody is told.
import assert from "node:assert/strict";
import { inspect } from "node:util";
import { DroverError, messageForOperators } from "../../../src/errors/errors.js";
import { PlatformReason } from "../../../src/hypervisor/platformError.js";

/** Addresses, fingerprints and names of errors are for operators. */
const ADDRESS = /127\.0\.0\.1|localhost|(?:[\dA-F]{2}:){5}|\bE[A-Z]{5,}\b/;

/** Waits for the refusal. @param words in what operators are told. @returns that */
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
  if (reason === PlatformReason.UNREACHABLE) assert.doesNotMatch(error.message, ADDRESS);
  const message = messageForOperators(error);
  if (typeof words === "string") assert.ok(message.includes(words), message);
  else assert.match(message, words);
  return message;
}
