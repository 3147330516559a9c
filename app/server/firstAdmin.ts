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

/**
 * Makes the user `admin` unless there is an admin. Of several processes that start at once one makes it.
 * @param chosenPassword undefined: one is generated
 * @returns null when there was one already
 */
export async function ensureAdmin(pool: Pool, chosenPassword: string | undefined): Promise<FirstAdmin | null> {
  const known = await pool.query("select from user_account where role = 'admin' limit 1");
  if (known.rowCount !== 0) return null;
  const password = chosenPassword ?? generatePassword();
  const passwordHash = await hashPassword(password);
  const isMade = await users.insertAdmin(pool, { email: `${USERNAME}@localhost`, username: USERNAME, passwordHash });
  return isMade ? { username: USERNAME, password } : null;
}
