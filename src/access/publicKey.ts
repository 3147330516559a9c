// Reads OpenSSH public keys, what a user stores and what a new guest gets: what ssh-keygen takes as one is one.
import { createHash } from "node:crypto";
import { accepted, refused, type Checked } from "../core/problem.js";
import { readKeyBlob } from "./keyBlob.js";

/** A public key that was understood. */
interface PublicKey {
  /** In normal form: type, base64 and comment, with one blank between them. */
  readonly line: string;
  /** `SHA256:…`, as `ssh-keygen -l` prints it. */
  readonly fingerprint: string;
  readonly comment: string;
}

/** Type, base64, and a comment without control characters, with any blanks between them. */
const PARTS = /^([\w@.-]+)[ \t]+([A-Za-z0-9+/]+={0,2})(?:[ \t]+([^\p{Cc}]*(?:\t[^\p{Cc}]*)*))?$/u;
/** Signatures that an RSA key can make: OpenSSH takes their names for the key's. */
const RSA_NAMES: ReadonlySet<string> = new Set(["rsa-sha2-256", "rsa-sha2-512"]);
const CERTIFICATE = /^[\w@.-]+-cert-v\d\d@openssh\.com[ \t]/;
const PRIVATE = /^-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/** @param field how the caller knows the input, such as `ssh_keys[0]` */
export function readPublicKey(text: string, field: string): Checked<PublicKey> {
  const given = text.trim();
  const [, name = "", base64 = "", words = ""] = PARTS.exec(given) ?? [];
  const bytes = Buffer.from(base64, "base64");
  const key = bytes.toString("base64") === base64 ? readKeyBlob(bytes) : null;
  if (key === null || !isNameOf(key.type, name)) return refused({ field, message: whyNot(given) });
  const comment = words.trim().replaceAll(/\s+/g, " ");
  const hash = createHash("sha256").update(key.blob).digest("base64").replace(/=+$/, "");
  const line = [key.type, key.blob.toString("base64"), plainScalar(comment)].filter((part) => part !== "").join(" ");
  return accepted({ line, fingerprint: `SHA256:${hash}`, comment });
}

/** The normal form of a key that was read before. @throws Error for a text that is no key */
export function publicKeyLine(text: string): string {
  const read = readPublicKey(text, "key");
  if (!read.ok) throw new Error("A text that is no public key was not refused");
  return read.value.line;
}

const isNameOf = (type: string, name: string): boolean => name === type || (type === "ssh-rsa" && RSA_NAMES.has(name));

function whyNot(given: string): string {
  if (PRIVATE.test(given))
    return "is a private key, which must stay secret: give the public one, from the file that ends in .pub";
  if (CERTIFICATE.test(given)) return "is a certificate: give the public key that it certifies";
  return "is no OpenSSH public key";
}

/** Proxmox VE writes the line into cloud-init's YAML as it is, where a colon before a blank would make it a mapping, and no key. */
const plainScalar = (comment: string): string => comment.replaceAll(/:+(?= |$)/g, "").trim();
