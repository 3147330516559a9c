// Compiles an earlier release of this repository from its history, with the packages of this one.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rename, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../../..", import.meta.url));

/** @returns the folder of the compiled release; null when the repository's history does not have it */
export async function compileEarlier(commit: string): Promise<string | null> {
  if (!(await isInHistory(commit))) return null;
  const kept = join(tmpdir(), `drover-release-${commit}`);
  if (existsSync(kept)) return join(kept, "dist");
  const fresh = await mkdtemp(`${kept}-`);
  try {
    await compileInto(fresh, commit);
    await rename(fresh, kept);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
  return join(kept, "dist");
}

async function isInHistory(commit: string): Promise<boolean> {
  try {
    await run("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: repository });
    return true;
  } catch {
    return false;
  }
}

/** Its types were checked when it was made. */
async function compileInto(folder: string, commit: string): Promise<void> {
  await run("git", ["archive", "--output", join(folder, "release.tar"), commit], { cwd: repository });
  await run("tar", ["-xf", "release.tar"], { cwd: folder });
  await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
  await run(join(repository, "node_modules/.bin/tsc"), ["-p", ".", "--outDir", "dist", "--noCheck"], { cwd: folder });
}
