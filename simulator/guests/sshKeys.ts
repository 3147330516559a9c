// Checks public keys for guests, as a node has ssh-keygen check them.
import { createPublicKey } from "node:crypto";
import sshpk from "sshpk";
import { failure } from "../api.js";

/** ssh-keygen looks for a key behind whatever stands before it, such as options. */
const KEY = /(?:^|\s)((?:ssh|ecdsa|sk|rsa)-\S+)[ \t]+(\S+)/;
/** How many fields a key of each type has, its name included. */
const FIELDS: Readonly<Record<string, number>> = {
  "ssh-rsa": 3,
  "ssh-dss": 5,
  "ssh-ed25519": 2,
  "ecdsa-sha2-nistp256": 3,
  "ecdsa-sha2-nistp384": 3,
  "ecdsa-sha2-nistp521": 3,
  "sk-ssh-ed25519@openssh.com": 3,
  "sk-ecdsa-sha2-nistp256@openssh.com": 4,
};
const CERTIFICATE = /-cert-v\d\d@openssh\.com$/;
const HARDWARE = /^sk-(?:ssh-)?([a-z0-9-]+)@openssh\.com$/;
const RSA_NAMES = new Set(["ssh-rsa", "rsa-sha2-256", "rsa-sha2-512"]);
const NUMBERS = new Set(["ssh-rsa", "ssh-dss"]);
const ED25519_BYTES = 32;
const RSA_BITS = { least: 1024, most: 16_384 };

/** Each line that is not blank has to be an OpenSSH public key. @throws ApiError 500 */
export function checkSshKeys(text: string): void {
  for (const line of text.split("\n"))
    if (line.trim() !== "" && !isPublicKey(line)) throw failure("SSH public key validation error");
}

function isPublicKey(line: string): boolean {
  const [, name = "", base64 = ""] = KEY.exec(line) ?? [];
  const blob = Buffer.from(base64, "base64");
  const fields = fieldsOf(blob);
  const type = fields[0]?.toString("latin1") ?? "";
  if (blob.toString("base64") !== base64 || !isNameOf(type, name)) return false;
  if (CERTIFICATE.test(type)) return true;
  return fields.length === FIELDS[type] && !isMisformed(type, fields) && isKey(plain(type, fields));
}

/** What the library takes all the same: an Ed25519 key of another length, and numbers below zero. */
function isMisformed(type: string, [, first, ...others]: readonly Buffer[]): boolean {
  if (type.includes("ed25519")) return first?.length !== ED25519_BYTES;
  return NUMBERS.has(type) && [first, ...others].some((number) => ((number?.[0] ?? 0) & 0x80) !== 0);
}

const isNameOf = (type: string, name: string): boolean => type === name || (type === "ssh-rsa" && RSA_NAMES.has(name));

/** @returns nothing when the bytes end within a field */
function fieldsOf(blob: Buffer): Buffer[] {
  const fields: Buffer[] = [];
  for (let at = 0; at < blob.length;) {
    const end = at + 4 <= blob.length ? at + 4 + blob.readUInt32BE(at) : Number.POSITIVE_INFINITY;
    if (end > blob.length) return [];
    fields.push(blob.subarray(at + 4, end));
    at = end;
  }
  return fields;
}

/** A key that hardware holds is another one with the name of its application behind it. */
function plain(type: string, fields: readonly Buffer[]): string {
  const [, held] = HARDWARE.exec(type) ?? [];
  if (held === undefined) return written(type, fields.slice(1));
  return written(held === "ed25519" ? "ssh-ed25519" : held, fields.slice(1, -1));
}

function written(type: string, fields: readonly Buffer[]): string {
  const parts = [Buffer.from(type), ...fields].flatMap((field) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(field.length);
    return [length, field];
  });
  return `${type} ${Buffer.concat(parts).toString("base64")}`;
}

function isKey(line: string): boolean {
  try {
    const key = sshpk.parseKey(line, "ssh");
    // OpenSSL looks whether a point is on its curve.
    createPublicKey(key.toString("pkcs8"));
    return key.type !== "rsa" || (key.size >= RSA_BITS.least && key.size <= RSA_BITS.most);
  } catch {
    return false;
  }
}
