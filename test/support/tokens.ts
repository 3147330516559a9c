// API tokens that tests call with.
import { newAccessToken } from "../../src/access/accessToken.js";
import type { Connection } from "../../src/store/tables.js";
import { planted, type Given } from "./rows.js";

/** Stores an API token: without grants or limits, for every host, unless it is given something else. @returns its value and its id */
export async function storeToken(
  connection: Connection,
  given: Given<"api_token">,
): Promise<{ readonly value: string; readonly id: number }> {
  const { value, hash, prefix } = newAccessToken("apiToken");
  const { id } = await planted(connection, "api_token", { ...given, prefix, token_hash: hash });
  return { value, id };
}
