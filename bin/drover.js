#!/usr/bin/env node
// The operator's command line, started with the Node.js that the project brings along when the machine's own is older.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const NEEDED_MAJOR = 24;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const program = join(root, "dist", "src", "cli", "main.js");
const own = join(root, "node_modules", ".bin", "node");

if (!existsSync(program)) {
  process.stderr.write("drover: the project is not built: run `npm ci` or `npm run build` first\n");
  process.exitCode = 1;
} else if (Number(process.versions.node.split(".")[0]) >= NEEDED_MAJOR) {
  await import(pathToFileURL(program).href);
} else if (existsSync(own)) {
  const { status } = spawnSync(own, [program, ...process.argv.slice(2)], { stdio: "inherit" });
  process.exitCode = status ?? 1;
} else {
  process.stderr.write(`drover: needs Node.js ${NEEDED_MAJOR} or newer\n`);
  process.exitCode = 1;
}
