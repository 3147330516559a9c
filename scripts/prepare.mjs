// What npm does after an installation: lets `npx drover` find the command in node_modules/.bin, and builds the project.
// It is no `bin` of package.json: npx would install the project into a cache of the caller's to run it, and build it each time.
import { lstatSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), "node_modules", ".bin");
const command = join(folder, "drover");
if (lstatSync(command, { throwIfNoEntry: false }) === undefined) {
  mkdirSync(folder, { recursive: true });
  symlinkSync(join("..", "..", "bin", "drover.js"), command);
}
await import("./build.mjs");
