// Gathers the tests of a folder into one suite: they share a demo and a browser, and run in the order of their names.
import { readdir } from "node:fs/promises";

/** @param name of a folder beside the suite that is made of it */
export async function loadFolder(name: string): Promise<void> {
  const folder = new URL(`../${name}/`, import.meta.url);
  const files = await readdir(folder);
  const tests = files.filter((file) => file.endsWith(".browser.js")).toSorted();
  for (const test of tests) await import(new URL(test, folder).href);
}
