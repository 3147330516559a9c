// Encrypts stored secrets: AES-256-GCM with a fresh nonce for each value, bound to where the value is stored.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const VERSION = "1";
const NONCE_BYTES = 12;

/** A stored secret cannot be decrypted: another key or another version encrypted it. */
export class UnreadableSecret extends Error {}

/** Encrypts and decrypts secrets with the service's key. `purpose` (table and column) is authenticated, so that a value cannot be moved elsewhere. */
export interface SecretBox {
  seal(plain: string, purpose: string): string;
  /** @throws UnreadableSecret when the key, the purpose or the value does not match */
  open(sealed: string, purpose: string): string;
}

/** @param key 32 bytes in base64 */
export function secretBox(key: string): SecretBox {
  const secret = Buffer.from(key, "base64");
  if (secret.length !== 32) throw new Error("The secret key must be 32 bytes in base64");
  return {
    seal(plain, purpose) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", secret, nonce).setAAD(Buffer.from(purpose));
      const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return [VERSION, nonce, cipher.getAuthTag(), sealed]
        .map((part) => (typeof part === "string" ? part : part.toString("base64")))
        .join(".");
    },
    open(sealed, purpose) {
      const [version, nonce, tag, body] = sealed.split(".");
      if (version !== VERSION || nonce === undefined || tag === undefined || body === undefined) {
        throw new UnreadableSecret("A stored secret has an unknown form: was it written by another version?");
      }
      const decipher = createDecipheriv("aes-256-gcm", secret, Buffer.from(nonce, "base64"))
        .setAAD(Buffer.from(purpose))
        .setAuthTag(Buffer.from(tag, "base64"));
      try {
        return decipher.update(Buffer.from(body, "base64"), undefined, "utf8") + decipher.final("utf8");
      } catch (error) {
        throw new UnreadableSecret("A stored secret cannot be opened: DROVER_SECRET is not the one that sealed it", {
          cause: error,
        });
      }
    },
  };
}
