// Checks public keys for guests.
import sshpk from "sshpk";
import { failure } from "../api.js";

/** Each line that is not blank has to be an OpenSSH public key. @throws ApiError 500 */
export function checkSshKeys(text: string): void {
  for (const line of text.split("\n"))
    if (line.trim() !== "" && !isPublicKey(line)) throw failure("SSH public key validation error");
}

function isPublicKey(line: string): boolean {
  const withoutOptions = /(?:^|\s)((?:ssh|ecdsa|sk)-\S+\s+\S+.*)$/.exec(line.trim())?.[1] ?? line.trim();
  try {
    sshpk.parseKey(withoutOptions, "ssh");
    return true;
  } catch {
    return false;
  }
}
