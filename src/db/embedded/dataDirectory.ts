// Makes the data directory, and finds out at once whether it can be used.
import { mkdir, realpath, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isMissing } from "./account.js";

/** Others may pass through it, to what is theirs, and see nothing. */
const MODE = 0o711;

/** @returns its real path. @throws Error that names it, and the variables, when it cannot be made or written to */
export async function makeDataDirectory(given: string): Promise<string> {
  const path = resolve(given);
  try {
    await makeWithParents(path);
    await tryWriting(path);
    return await realpath(path);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`The data directory ${path} cannot be used (${why}): set DROVER_DATA or DATABASE_URL`, {
      cause: error,
    });
  }
}

/**
 * Like `mkdir` with `recursive`, which tries for ever where the system says of a directory that is there that it is missing, as
 * Linux does below /proc.
 */
async function makeWithParents(path: string): Promise<void> {
  try {
    await makeOne(path);
  } catch (error) {
    const parent = dirname(path);
    if (!isMissing(error) || parent === path) throw error;
    await makeWithParents(parent);
    await makeOne(path);
  }
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: MODE });
  } catch (error) {
    if (!(await isDirectory(path))) throw error;
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // Whatever keeps it from being looked at kept it from being made, and that is what is said.
    return false;
  }
}

/** Permissions alone do not tell: some file systems take no files from anybody. */
async function tryWriting(directory: string): Promise<void> {
  const probe = join(directory, `.probe-${process.pid}`);
  await writeFile(probe, "");
  await rm(probe, { force: true });
}
