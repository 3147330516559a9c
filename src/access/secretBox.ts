// Encrypts stored secrets: AES-256-GCM with a fresh nonce for each value, bound to the place and the use that it is stored for.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
/** The whole tag: Node.js would accept a shorter one, which is easier to forge. */
const TAG_BYTES = 16;

/** The forms of stored values: authenticated with the purpose alone, or with what the secret is bound to as well. */
const UNBOUND = "1";
const BOUND = "2";

/** A stored secret cannot be decrypted: another key or another version encrypted it, or its binding has changed. */
export class UnreadableSecret extends Error {}

/** What a secret may be used for, such as an address and an account. */
type Binding = readonly (string | number | null)[];

/**
 * Encrypts and decrypts secrets with the service's key. Purpose (table and column) and binding are authenticated: a value that is moved
 * to another column, or whose record is changed to point elsewhere, cannot be opened.
 */
export interface SecretBox {
  seal(plain: string, purpose: string, binding?: Binding): string;
  /**
   * Opens values of every key that is configured. Values without a binding, as earlier releases wrote them, are opened for any.
   * @throws UnreadableSecret when no key matches, or purpose, binding or value was changed
   */
  open(sealed: string, purpose: string, binding?: Binding): string;
  /**
   * Seals a stored value again if it does not have the current key and form.
   * @returns null when it has both. @throws UnreadableSecret as `open`
   */
  renewed(sealed: string, purpose: string, binding?: Binding): string | null;
}

/** The parts of a stored value. */
interface Sealed {
  readonly form: string;
  readonly nonce: Buffer;
  readonly tag: Buffer;
  readonly body: Buffer;
}

/**
 * @param current 32 bytes in base64: seals
 * @param previous further keys, which only open
 */
export function secretBox(current: string, previous: readonly string[] = []): SecretBox {
  const currentKey = keyOf(current);
  const keys = [currentKey, ...previous.map(keyOf)];
  const box: SecretBox = {
    seal(plain, purpose, binding) {
      const form = binding === undefined ? UNBOUND : BOUND;
      return write(form, encrypt(currentKey, plain, contextOf(form, purpose, binding)));
    },
    open(sealed, purpose, binding) {
      const parts = read(sealed);
      const context = contextOf(parts.form, purpose, binding);
      for (const key of keys) {
        const plain = decrypt(key, parts, context);
        if (plain !== null) return plain;
      }
      throw new UnreadableSecret(
        "A stored secret cannot be opened: DROVER_SECRET is not the one that sealed it, or its record was changed",
      );
    },
    renewed(sealed, purpose, binding) {
      const parts = read(sealed);
      const form = binding === undefined ? UNBOUND : BOUND;
      const isCurrent = parts.form === form && decrypt(currentKey, parts, contextOf(form, purpose, binding)) !== null;
      return isCurrent ? null : box.seal(box.open(sealed, purpose, binding), purpose, binding);
    },
  };
  return box;
}

function keyOf(text: string): Buffer {
  const key = Buffer.from(text, "base64");
  if (key.length !== KEY_BYTES) throw new Error("The secret key must be 32 bytes in base64");
  return key;
}

/** What is authenticated with a value of this form. */
const contextOf = (form: string, purpose: string, binding: Binding = []): Buffer =>
  Buffer.from(form === UNBOUND ? purpose : JSON.stringify([purpose, ...binding]));

function encrypt(key: Buffer, plain: string, context: Buffer): Omit<Sealed, "form"> {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(context);
  const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  return { nonce, tag: cipher.getAuthTag(), body };
}

/** @returns null when the key or the context is not that of the value */
function decrypt(key: Buffer, { nonce, tag, body }: Sealed, context: Buffer): string | null {
  const decipher = createDecipheriv(CIPHER, key, nonce).setAAD(context).setAuthTag(tag);
  try {
    return decipher.update(body, undefined, "utf8") + decipher.final("utf8");
  } catch {
    // The tag does not fit: the one way in which decryption fails.
    return null;
  }
}

const write = (form: string, { nonce, tag, body }: Omit<Sealed, "form">): string =>
  [form, ...[nonce, tag, body].map((part) => part.toString("base64"))].join(".");

/** @throws UnreadableSecret */
function read(sealed: string): Sealed {
  const [form = "", ...parts] = sealed.split(".");
  const [nonce, tag, body] = parts.map((part) => Buffer.from(part, "base64"));
  const isKnown = form === UNBOUND || form === BOUND;
  if (!isKnown || nonce?.length !== NONCE_BYTES || tag?.length !== TAG_BYTES || body === undefined) {
    throw new UnreadableSecret("A stored secret has an unknown form: was it written by another version?");
  }
  return { form, nonce, tag, body };
}
