// The server's side of SCRAM-SHA-256 (RFC 5802, RFC 7677), by which a client of MongoDB proves that it knows a password.
import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";

const ROUNDS = 4096;

interface Account {
  readonly user: string;
  readonly password: string;
}

const hmac = (key: Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
const fieldOf = (message: string, name: string): string =>
  message
    .split(",")
    .find((part) => part.startsWith(`${name}=`))
    ?.slice(name.length + 1) ?? "";

/** One conversation with a client. */
export class ScramConversation {
  readonly #account: Account;
  readonly #salt = randomBytes(16);
  #opening = "";
  #challenge = "";
  #isRightUser = false;

  constructor(account: Account) {
    this.#account = account;
  }

  /** @param payload the client's first message; @returns the challenge, also to an unknown user */
  begin(payload: string): string {
    this.#opening = payload.replace(/^n,,/, "");
    this.#isRightUser = fieldOf(this.#opening, "n") === this.#account.user;
    const nonce = fieldOf(this.#opening, "r") + randomBytes(18).toString("base64");
    this.#challenge = `r=${nonce},s=${this.#salt.toString("base64")},i=${ROUNDS}`;
    return this.#challenge;
  }

  /** @param payload the client's proof; @returns the server's own proof, or null when the client's is wrong */
  finish(payload: string): string | null {
    const withoutProof = payload.replace(/,p=.*$/, "");
    const conversation = [this.#opening, this.#challenge, withoutProof].join(",");
    const salted = pbkdf2Sync(this.#account.password, this.#salt, ROUNDS, 32, "sha256");
    const clientKey = hmac(salted, "Client Key");
    const signature = hmac(createHash("sha256").update(clientKey).digest(), conversation);
    const proof = Buffer.from(clientKey.map((byte, index) => byte ^ (signature[index] ?? 0)));
    if (!this.#isRightUser || fieldOf(payload, "p") !== proof.toString("base64")) return null;
    return `v=${hmac(hmac(salted, "Server Key"), conversation).toString("base64")}`;
  }
}
