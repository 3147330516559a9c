// Compiles the project into dist/ and removes outputs whose source is gone, so that a renamed test can never run again.
// dist/ is never emptied: a service that was started from it may still be running.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const compiler = join(root, "node_modules", "typescript", "bin", "tsc");

const compiled = spawnSync(process.execPath, [compiler, "-p", root], { stdio: "inherit" });
if (compiled.status !== 0) process.exit(compiled.status ?? 1);

const output = join(root, "dist");
const dashboard = join(output, "dashboard");
const viewer = join(output, "rest", "openapi", "viewer.bundle.js");
for (const entry of readdirSync(output, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !/\.js(\.map)?$/.test(entry.name) || entry.parentPath.startsWith(dashboard)) continue;
  const emitted = join(entry.parentPath, entry.name);
  if (emitted === viewer) continue;
  const source = join(root, emitted.slice(output.length + 1).replace(/\.js(\.map)?$/, ".ts"));
  if (!existsSync(source)) rmSync(emitted);
}

// The viewer of the OpenAPI document is one file. It is copied: the service needs nothing else of its package.
copyFileSync(
  join(root, "node_modules", "@scalar", "api-reference", "dist", "browser", "standalone.js"),
  `${viewer}.new`,
);
renameSync(`${viewer}.new`, viewer);

await import("./bundleAgent.mjs");
await import("./buildDashboard.mjs");
