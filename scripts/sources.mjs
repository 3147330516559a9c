// Names the files that a build is made of, so that a build can be skipped, and an old one recognised. It needs no package.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** What the service and its commands are compiled from. */
const PROGRAM = ["app", "src", "schema", "resolvers", "graphql", "rest", "heartbeat", "jobs"];
const COMPILED = [...PROGRAM, "agent", "simulator", "demo", "bench", "test"];
const TOOLS = ["tsconfig.json", "package-lock.json", "schema/schema.graphql"];

/** The sources of the service and its commands; none where only a build is installed. */
export const programSources = (root) => compiledIn(root, PROGRAM);

/** Everything that a build depends on. */
export function buildInputs(root) {
  const dashboard = filesIn(join(root, "dashboard")).filter(
    (path) => !path.startsWith(join(root, "dashboard", "generated")),
  );
  const tools = [...TOOLS.map((name) => join(root, name)), ...filesIn(join(root, "scripts"))];
  return [...compiledIn(root, COMPILED), ...dashboard, ...tools];
}

/** The same for the same contents, whenever they were written. */
export function fingerprintOf(root, paths) {
  const hash = createHash("sha256");
  // oxlint-disable-next-line unicorn/no-array-sort -- the commands read this with the machine's own Node.js, which may be old
  for (const path of [...paths].sort((left, right) => (left < right ? -1 : 1))) {
    hash.update(path.slice(root.length)).update("\0").update(readFileSync(path)).update("\0");
  }
  return hash.digest("hex");
}

/** When the newest of them was written, in milliseconds. */
export const newestOf = (paths) => Math.max(0, ...paths.map((path) => statSync(path).mtimeMs));

const compiledIn = (root, folders) =>
  folders.flatMap((folder) => filesIn(join(root, folder))).filter((path) => path.endsWith(".ts"));

/** Without the recursion of `readdirSync`, which old versions of Node.js lack. */
function filesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : [path];
  });
}
