#!/usr/bin/env node
// The operator's command line: a worker is started with the flags of `npm start`, and all with the Node.js that the project brings
// along when the machine's own is older.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { fingerprintOf, newestOf, programSources } from "../scripts/sources.mjs";

const NEEDED_MAJOR = 24;
// V8 takes the bound of its young generation at its start alone.
const FLAGS = ["--enable-source-maps", "--max-semi-space-size=16"];
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const program = join(root, "dist", "app", "cli", "main.js");
const own = join(root, "node_modules", ".bin", "node");
const given = [...FLAGS, ...process.execArgv, program, ...process.argv.slice(2)];
// Whoever ends soon gains less by them than another start of Node.js takes.
const isWorker = process.argv[2] === "worker";

const fault = faultOfBuild();

if (fault !== null) {
  process.stderr.write(`drover: the project ${fault}: run \`npm run build\`\n`);
  process.exitCode = 1;
} else if (Number(process.versions.node.split(".")[0]) >= NEEDED_MAJOR) {
  // The same process goes on with them. Windows has no such call.
  if (isWorker && process.execve) process.execve(process.execPath, [process.execPath, ...given], process.env);
  await import(pathToFileURL(program).href);
} else if (existsSync(own)) {
  const { status } = spawnSync(own, given, { stdio: "inherit" });
  process.exitCode = status ?? 1;
} else {
  process.stderr.write(`drover: needs Node.js ${NEEDED_MAJOR} or newer\n`);
  process.exitCode = 1;
}

/** A command never builds: the build belongs to whoever installed it, and a service may be running from it. */
function faultOfBuild() {
  if (!existsSync(program)) return "is not built";
  const sources = programSources(root);
  if (newestOf(sources) <= statSync(program).mtimeMs) return null;
  // Copying and checking out give files a new time: what counts is what is in them.
  const description = join(root, "dist", "build.json");
  const built = existsSync(description) ? JSON.parse(readFileSync(description, "utf8")).program : null;
  return built === fingerprintOf(root, sources) ? null : "has sources that are newer than its build";
}
