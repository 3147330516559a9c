// Makes a random secret once and keeps it in a file that only the service's account may read.
import { randomBytes } from "node:crypto";
import { chmod, link, readFile, rm, writeFile } from "node:fs/promises";
import { isMissing } from "./account.js";

const SECRET_BYTES = 32;

/** The secret in the file, 32 bytes in base64; made when there is none. Two processes at once get the same. */
export async function keptSecret(path: string): Promise<string> {
  const known = await readSecret(path);
  if (known !== null) return known;
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${randomBytes(SECRET_BYTES).toString("base64")}\n`, { mode: 0o600, flush: true });
  try {
    await link(draft, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const made = await readSecret(path);
  if (made === null) throw new Error(`${path} was removed while it was made`);
  return made;
}

/** The secret in the file; null when there is no file. @throws Error when it holds no secret */
export async function readSecret(path: string): Promise<string | null> {
  try {
    const secret = (await readFile(path, "utf8")).trim();
    if (Buffer.from(secret, "base64").length !== SECRET_BYTES) throw new Error(`${path} holds no secret of 32 bytes`);
    await chmod(path, 0o600);
    return secret;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
