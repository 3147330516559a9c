// Recovery codes: what lets a person in once who has lost their other second factor.
import { hash, randomBytes } from "node:crypto";

const CODES = 10;
const BYTES = 10;
const DIGITS = "abcdefghijkmnpqrstuvwxyz23456789";
const GROUP = /.{4}(?=.)/g;

/** Makes ten codes of 80 random bits, in groups of four. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: CODES }, () => digits(randomBytes(BYTES)).replaceAll(GROUP, "$&-"));

/**
 * What is stored in a code's stead. Case, blanks and dashes do not matter. With 80 random bits there is nothing to guess, so no salt and
 * no slow hash are needed.
 */
export const hashRecoveryCode = (code: string): string =>
  hash("sha256", code.toLowerCase().replaceAll(/[^a-z0-9]/g, ""));

/** Five bits a digit. */
function digits(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{5}/g) ?? []).map((five) => DIGITS[Number.parseInt(five, 2)]).join("");
}
