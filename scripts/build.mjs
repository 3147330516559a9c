// Builds the project beside the current build, and makes it the current one when it is complete. Skipped when nothing changed.
// A service or a command that was started from an earlier build is not disturbed.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { currentBuild, DESCRIPTION, removeOldBuilds, switchTo, unfinishedBuild } from "./builds.mjs";
import { buildInputs, fingerprintOf, programSources } from "./sources.mjs";

/** The compiler has said why. */
class CompileError extends Error {
  constructor(status) {
    super("The compiler failed");
    this.status = status;
  }
}

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const description = {
  inputs: fingerprintOf(root, buildInputs(root)),
  program: fingerprintOf(root, programSources(root)),
};
if (currentBuild(root)?.inputs !== description.inputs) await buildAnew();

async function buildAnew() {
  const output = unfinishedBuild(root);
  try {
    mkdirSync(output);
  } catch (error) {
    process.stderr.write(`The project cannot be built by this user: ${error.message}\n`);
    process.exit(1);
  }
  try {
    compile(output);
    copyViewer(output);
    const [{ bundleAgent }, { bundleGraphiql }, { bundlePrograms }, { buildDashboard }] = await Promise.all([
      import("./bundleAgent.mjs"),
      import("./bundleGraphiql.mjs"),
      import("./bundlePrograms.mjs"),
      import("./buildDashboard.mjs"),
    ]);
    await bundleAgent(root, output);
    await bundleGraphiql(root, output);
    await bundlePrograms(output);
    await buildDashboard(output);
    writeFileSync(join(output, DESCRIPTION), JSON.stringify(description));
    switchTo(root, output);
  } catch (error) {
    rmSync(output, { recursive: true, force: true });
    if (error instanceof CompileError) process.exit(error.status);
    throw error;
  }
  removeOldBuilds(root);
}

function compile(output) {
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const { status } = spawnSync(process.execPath, [compiler, "-p", root, "--outDir", output], { stdio: "inherit" });
  if (status !== 0) throw new CompileError(status ?? 1);
}

/** The viewer of the OpenAPI document is one file. It is copied: the service needs nothing else of its package. */
function copyViewer(output) {
  const viewer = join(root, "node_modules", "@scalar", "api-reference", "dist", "browser", "standalone.js");
  copyFileSync(viewer, join(output, "rest", "openapi", "viewer.bundle.js"));
}
