// The passwords that people use most: those that an attacker tries first.
import { SHORTEST_PASSWORD } from "../core/access/passwordRules.js";

let reading: Promise<ReadonlySet<string>> | null = null;

/** The most used passwords that are long enough to be chosen, in lower case; read when the first password is. */
export const commonPasswords = (): Promise<ReadonlySet<string>> => (reading ??= read());

async function read(): Promise<ReadonlySet<string>> {
  // By its default: the bundled programs find nothing else in a package of CommonJS that is loaded on demand.
  const { default: common } = await import("@zxcvbn-ts/language-common");
  const passwords = common.dictionary["passwords-common"];
  return new Set(
    passwords.filter(({ length }) => length >= SHORTEST_PASSWORD).map((password) => password.toLowerCase()),
  );
}
