// Whoever follows a link, a path or a command of the documents finds something there.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** A path from the project's root; `dist` is built, and `bench/results.json` written, on the reader's own machine. */
const PATH =
  /^(?:\.\/)?(?:agent|bench|dashboard|demo|docs|graphql|jobs|resolvers|rest|schema|scripts|simulator|src|test)\/[\w./-]+$/;
const WRITTEN_ELSEWHERE = new Set(["bench/results.json"]);

const read = (name: string): Promise<string> => readFile(join(ROOT, name), "utf8");
/** Folders of the project's root that hold code or documents. */
const folders = async (): Promise<string[]> => {
  const entries = await readdir(ROOT, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return names.filter((name) => !NO_SOURCES.test(name));
};
const NO_SOURCES = /^(?:\..*|node_modules|dist-.*|bin|tools)$/;
const pages = async (): Promise<string[]> => {
  const names = (await readdir(join(ROOT, "docs"))).filter((name) => name.endsWith(".md"));
  const ofFolders = (await folders()).map((folder) => `${folder}/README.md`);
  return [...new Set(["README.md", ...names.map((name) => `docs/${name}`), ...ofFolders])];
};

/** Anchors that a page's headings make; a comment in an example is no heading. */
const anchorsOf = (text: string): string[] =>
  [...text.replaceAll(/^ *```[^]*?^ *```$/gm, "").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-"),
  );

const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].flatMap(([, found]) => found ?? []);

async function isThere(page: string, link: string): Promise<boolean> {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : join(dirname(page), path);
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || anchorsOf(await read(target)).includes(anchor);
}

describe("the documents", () => {
  it("link to what is there", async () => {
    for (const page of await pages()) {
      const links = matches(await read(page), /\]\(([^)\s]+)\)/g).filter((link) => !link.includes("://"));
      for (const link of links) assert.ok(await isThere(page, link), `${page}: ${link}`);
    }
  });

  it("open each folder of the root in five lines, with the names of what is in it", async () => {
    for (const folder of await folders()) {
      const [title = "", , ...lines] = (await read(`${folder}/README.md`)).trimEnd().split("\n");
      assert.ok(title.startsWith("# ") && lines.length <= 5, folder);
      const names = matches(lines.join("\n"), /`([\w/.]+\.(?:ts|tsx|mjs|json|graphql))`/g);
      for (const name of names)
        assert.ok(existsSync(join(ROOT, folder, name)) || existsSync(join(ROOT, name)), `${folder}: ${name}`);
    }
  });

  it("name files and folders that are there", async () => {
    for (const page of await pages()) {
      const paths = matches(await read(page), /`([^`\s]+)`/g).filter((name) => PATH.test(name));
      for (const path of paths) {
        const places = [path, join(dirname(page), path)];
        assert.ok(
          WRITTEN_ELSEWHERE.has(path) || places.some((place) => existsSync(join(ROOT, place))),
          `${page}: ${path}`,
        );
      }
    }
  });

  it("name commands of npm that exist", async () => {
    const { scripts } = z
      .object({ scripts: z.record(z.string(), z.string()) })
      .parse(JSON.parse(await read("package.json")));
    for (const page of await pages()) {
      for (const script of matches(await read(page), /\bnpm run ([\w:-]+)/g))
        assert.ok(script in scripts, `${page}: ${script}`);
    }
  });
});
