// Reads OpenSSH public keys: what a user stores and what a new guest gets.
import sshpk from "sshpk";
import { accepted, refused, type Checked } from "../core/problem.js";

/** A public key that was understood. */
interface PublicKey {
  /** One line: type, base64, comment. */
  readonly line: string;
  /** `SHA256:…`, as `ssh-keygen -l` prints it. */
  readonly fingerprint: string;
  readonly comment: string;
}

const ONE_LINE = /^(?:ssh|ecdsa|sk)-[\w@.-]+ [A-Za-z0-9+/]+=*(?: [^\r\n]*)?$/;

/** @param field how the caller knows the input, such as `ssh_keys[0]` */
export function readPublicKey(text: string, field: string): Checked<PublicKey> {
  const line = text.trim();
  if (!ONE_LINE.test(line)) return refused({ field, message: "is no OpenSSH public key" });
  try {
    const key = sshpk.parseKey(line, "ssh");
    return accepted({ line, fingerprint: key.fingerprint("sha256").toString(), comment: key.comment ?? "" });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return refused({ field, message: "is no OpenSSH public key" });
  }
}
