// Finds everything wrong with a new user that can be found without looking anything up.
import type { Problem } from "../problem.js";

/** A new user as it came, trimmed; `externalId` null: none. */
export interface UserRequest {
  readonly email: string;
  readonly username: string;
  readonly externalId: string | null;
}

const LONGEST_EMAIL = 254;
const EMAIL = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u;
const USERNAME = /^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,63}$/u;
const EXTERNAL_ID = /^[^\p{Cc}]{1,255}$/u;

/** @returns every problem of a new user, by the field names of REST v1; empty when there is none. */
export function userProblems({ email, username, externalId }: UserRequest): Problem[] {
  const isEmail = EMAIL.test(email) && email.length <= LONGEST_EMAIL;
  return [
    ...(isEmail ? [] : [{ field: "email", message: "must be an e-mail address" }]),
    ...(USERNAME.test(username)
      ? []
      : [{ field: "username", message: "must be 1 to 64 letters, digits or . _ @ + -" }]),
    ...(externalId === null || EXTERNAL_ID.test(externalId)
      ? []
      : [{ field: "user_id", message: "must be at most 255 printable characters" }]),
  ];
}
