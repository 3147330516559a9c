// Makes an API token for a benchmark's requests.
import type { Pool } from "pg";
import { newAccessToken } from "../../src/access/accessToken.js";

/** @returns its value */
export async function storeToken(
  pool: Pool,
  { permissions = [] }: { readonly permissions?: readonly string[] } = {},
): Promise<string> {
  const { value, hash, prefix } = newAccessToken("apiToken");
  await pool.query("insert into api_token (name, prefix, token_hash, permissions) values ('bench', $1, $2, $3)", [
    prefix,
    hash,
    permissions,
  ]);
  return value;
}
