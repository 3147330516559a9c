// Bundles the on-host agent into one file without dependencies that Node.js 12.22 and newer run.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

// Copied to a node the file is CommonJS, inside this repository ("type": "module") Node.js loads it as an ES module:
// taking `require` from an import works as both.
const banner =
  '#!/usr/bin/env node\nimport("module").then(({ createRequire }) => {\nconst require = createRequire(process.argv[1]);';
const footer = "});";

await build({
  entryPoints: [join(root, "agent", "main.ts")],
  outfile: join(root, "dist", "agent", "drover-agent.js"),
  bundle: true,
  platform: "node",
  target: "node12.22",
  format: "cjs",
  charset: "utf8",
  legalComments: "none",
  banner: { js: banner },
  footer: { js: footer },
  logLevel: "warning",
});
