// Bundles GraphiQL's frame: one script and one style sheet, which the service puts into the page that it serves.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

/** What would end the script in a page too early or too late, or be read as something else than what its hash is made of. */
const ALTERED_BY_BROWSERS = /<\/script|<!--(?:(?!-->)[^])*<script[\s/>]|\r|\0/i;

/** The panel's page has a title of its own. */
const OWN_STYLE = ".graphiql-container .graphiql-logo { display: none; }";

/** @param root of the sources @param output folder of a build */
export async function bundleGraphiql(root, output) {
  const { css, js } = await import("@graphql-yoga/render-graphiql/graphiql");
  const { outputFiles } = await build({
    entryPoints: [join(root, "dashboard", "graphiql", "frame.ts")],
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    target: "es2023",
    charset: "utf8",
    logLevel: "warning",
  });
  const script = `${outputFiles[0].text}${js}`;
  if (ALTERED_BY_BROWSERS.test(script)) throw new Error("GraphiQL's script cannot stand in a page as it is");
  await writeFile(join(output, "graphql", "graphiql.bundle.js"), script);
  await writeFile(join(output, "graphql", "graphiql.bundle.css"), `${css}\n${OWN_STYLE}\n`);
}
