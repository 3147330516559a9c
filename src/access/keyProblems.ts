// Finds what is wrong with the SSH keys of a request.
import type { Problem } from "../core/problem.js";
import { readPublicKey } from "./publicKey.js";

/** Reading a key takes a while: a request full of them must not hold up all others. */
const MOST_KEYS = 100;

/** @returns a problem for each key that is no OpenSSH public key, with its index, or one for too many of them */
export function keyProblems(keys: readonly string[] | null | undefined): Problem[] {
  const given = keys ?? [];
  if (given.length > MOST_KEYS) return [{ field: "ssh_keys", message: `must be at most ${MOST_KEYS} keys` }];
  return given.flatMap((key, index) => {
    const read = readPublicKey(key, `ssh_keys[${index}]`);
    return read.ok ? [] : read.problems;
  });
}
