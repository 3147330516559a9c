// Keeps and checks passwords: argon2id, stored in the PHC string format with its own parameters and salt.
import { argon2, randomBytes, randomInt, timingSafeEqual, type Argon2Parameters } from "node:crypto";
import { promisify } from "node:util";
import { ConcurrencyLimit } from "./concurrencyLimit.js";

const derive = promisify(argon2);
/** Each hash takes 19 MiB and a thread of the pool for about 20 ms; the same few threads resolve host names. */
const limit = new ConcurrencyLimit({ atOnce: 2, mostWaiting: 200 });

/** OWASP's first choice for argon2id: 19 MiB, 2 passes, 1 lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const FORM = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Without letters and digits that are taken for one another. */
const ALPHABET = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const GENERATED_LENGTH = 20;

/** Hashes a password: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await digest(password, { ...COST, salt, length: HASH_BYTES });
  const { memory, passes, parallelism } = COST;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(hash)}`;
}

/**
 * Whether the password is the one that was hashed. Without a stored hash (no such user) the same work is done, so that the time
 * that an answer takes does not reveal which users exist.
 * @throws Error when the stored text is no argon2id hash
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  if (stored === null) {
    await digest(password, { ...COST, salt: randomBytes(SALT_BYTES), length: HASH_BYTES });
    return false;
  }
  const [, memory, passes, parallelism, salt, hash] = FORM.exec(stored) ?? [];
  if (salt === undefined || hash === undefined) throw new Error("A stored password hash has an unknown form");
  const expected = Buffer.from(hash, "base64");
  const found = await digest(password, {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, "base64"),
    length: expected.length,
  });
  return timingSafeEqual(found, expected);
}

/** Whether a stored hash was cheaper to compute than new ones are. */
export function costsLess(stored: string): boolean {
  const [, memory, passes] = FORM.exec(stored) ?? [];
  return Number(memory) < COST.memory || Number(passes) < COST.passes;
}

/** A password that people can copy from a screen: 20 characters, more than 115 bits. */
export function generatePassword(): string {
  return Array.from({ length: GENERATED_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join("");
}

interface Derivation {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly salt: Buffer;
  readonly length: number;
}

function digest(password: string, { memory, passes, parallelism, salt, length }: Derivation): Promise<Buffer> {
  const parameters: Argon2Parameters = {
    message: password.normalize("NFC"),
    nonce: salt,
    memory,
    passes,
    parallelism,
    tagLength: length,
  };
  return limit.run(() => derive("argon2id", parameters));
}

/** The PHC format has base64 without padding. */
const unpadded = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");
