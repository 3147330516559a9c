// Keeps builds in folders of their own beside each other; `dist` is a link to the current one, and is switched in one step.
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";

/** A build has the depth of `dist`, so that paths from it to the project hold in both. */
const BUILD = /^dist-\d{13}-\d+$/;
const UNFINISHED = /^dist-\d{13}-\d+\.unfinished$/;
/** Earlier builds that stay: a process that was started from one still finds its files. */
const KEPT_BEFORE = 2;
/** A build takes minutes at most: what is older was left by one that was killed. */
const ABANDONED_MS = 3_600_000;

/** What a finished build says of itself. */
export const DESCRIPTION = "build.json";

const currentOf = (root) => join(root, "dist");

/** The description of the current build; null when there is none, or somebody compiled into it by hand since. */
export function currentBuild(root) {
  const description = join(currentOf(root), DESCRIPTION);
  const compiled = join(currentOf(root), "app", "main.js");
  if (!existsSync(description) || !existsSync(compiled)) return null;
  if (statSync(compiled).mtimeMs > statSync(description).mtimeMs) return null;
  return JSON.parse(readFileSync(description, "utf8"));
}

/** The folder of a build that is being made; nobody else uses it. */
export const unfinishedBuild = (root) => join(root, `dist-${Date.now()}-${process.pid}.unfinished`);

/** Makes a complete build the current one: whoever starts a program finds the old one or the new one, whole. */
export function switchTo(root, unfinished) {
  const build = unfinished.replace(/\.unfinished$/, "");
  renameSync(unfinished, build);
  const link = `${build}.link`;
  symlinkSync(build.slice(root.length + 1), link);
  const current = currentOf(root);
  // Earlier releases built in place: such a folder becomes an earlier build, once.
  if (isFolder(current)) renameSync(current, join(root, `dist-${String(Date.now() - 1)}-0`));
  renameSync(link, current);
}

/** Removes builds that nobody needs any longer. */
export function removeOldBuilds(root) {
  const names = readdirSync(root);
  const current = readlinkSync(currentOf(root));
  const earlier = names.filter((name) => BUILD.test(name) && name !== current).toSorted();
  const abandoned = names.filter((name) => UNFINISHED.test(name) && isAbandoned(join(root, name)));
  for (const name of [...earlier.slice(0, -KEPT_BEFORE), ...abandoned]) rmSync(join(root, name), { recursive: true });
}

const isFolder = (path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
const isAbandoned = (path) => Date.now() - statSync(path).mtimeMs > ABANDONED_MS;
