#!/usr/bin/env node
// The operator's command line: a worker is started with the flags of `npm start`, and all with the Node.js that the project brings
// along when the machine's own is older.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const NEEDED_MAJOR = 24;
// V8 takes the bound of its young generation at its start alone.
const FLAGS = ["--enable-source-maps", "--max-semi-space-size=16"];
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const program = join(root, "dist", "src", "cli", "main.js");
const own = join(root, "node_modules", ".bin", "node");
const given = [...FLAGS, ...process.execArgv, program, ...process.argv.slice(2)];
// Whoever ends soon gains less by them than another start of Node.js takes.
const isWorker = process.argv[2] === "worker";

if (!existsSync(program)) {
  process.stderr.write("drover: the project is not built: run `npm ci` or `npm run build` first\n");
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
