// Reads and replaces small files so that a crash leaves either the old content or the new one.
import { promises as fs } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** The file's text, or null when there is no such file; other errors are thrown. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await fs.readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Names of what is in the folder; none when there is no such folder. */
export async function listIfThere(path: string): Promise<string[]> {
  try {
    return await fs.readdir(path);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Replaces the file as a whole (0600), durably: written beside it, flushed, renamed over it. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await fs.mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const fresh = `${path}.new`;
  const file = await fs.open(fresh, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await fs.rename(fresh, path);
}

/** Removes the file; that it is not there is as good. */
export async function removeIfThere(path: string): Promise<void> {
  try {
    await fs.unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Lends a file with this text, which nobody else can read, and removes it when the use has ended. */
export async function withTemporaryFile<T>(text: string, use: (path: string) => Promise<T>): Promise<T> {
  const directory = await fs.mkdtemp(join(tmpdir(), "drover-agent-"));
  const path = join(directory, "file");
  try {
    await fs.writeFile(path, text, { mode: 0o600 });
    return await use(path);
  } finally {
    await removeIfThere(path);
    await fs.rmdir(directory);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
