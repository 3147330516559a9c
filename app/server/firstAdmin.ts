// Creates the user `admin` of a service that has no admin yet.
import type { Pool } from "pg";
import { generatePassword, hashPassword } from "../../src/access/password.js";
import * as users from "../../src/store/user.js";

const USERNAME = "admin";

/** The admin of a first start. */
export interface FirstAdmin {
  readonly username: string;
  readonly password: string;
}

/** The admin that was made first. @returns null when there is none */
export const firstAdmin = (pool: Pool) => users.firstAdmin(pool);

/**
 * Makes the user `admin` unless there is an admin. Of several processes that start at once one makes it.
 * @param chosenPassword undefined: one is generated
 * @returns null when there was one already
 */
export async function ensureAdmin(pool: Pool, chosenPassword: string | undefined): Promise<FirstAdmin | null> {
  if ((await firstAdmin(pool)) !== null) return null;
  const password = chosenPassword ?? generatePassword();
  const passwordHash = await hashPassword(password);
  const isMade = await users.insertAdmin(pool, { email: `${USERNAME}@localhost`, username: USERNAME, passwordHash });
  return isMade ? { username: USERNAME, password } : null;
}
