// Finds what is wrong with the SSH keys of a request.
import { readPublicKey } from "../access/publicKey.js";
import type { FieldProblem } from "../errors.js";

/** @returns a problem for each key that is no OpenSSH public key, with its index */
export const keyProblems = (keys: readonly string[] | null | undefined): FieldProblem[] =>
  (keys ?? []).flatMap((key, index) => {
    const read = readPublicKey(key, `ssh_keys[${index}]`);
    return read.ok ? [] : read.problems;
  });
