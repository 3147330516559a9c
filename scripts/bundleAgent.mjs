// Bundles the on-host agent into one file without dependencies that Node.js 12.22 and newer run.
import { join } from "node:path";
import { build } from "esbuild";

// Copied to a node the file is CommonJS, inside this repository ("type": "module") Node.js loads it as an ES module:
// taking `require` from an import works as both.
const banner =
  '#!/usr/bin/env node\nimport("module").then(({ createRequire }) => {\nconst require = createRequire(process.argv[1]);';
const footer = "});";

/** Writes `agent/drover-agent.js` below the folder of a build. */
export async function bundleAgent(root, output) {
  await build({
    entryPoints: [join(root, "agent", "main.ts")],
    outfile: join(output, "agent", "drover-agent.js"),
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
}
