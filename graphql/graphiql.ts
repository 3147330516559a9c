// Serves the frame in which the panel runs GraphiQL: without an origin, so that it can read nothing of the panel's, and without a network.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { packedText, type ServedText } from "../src/http/packedText.js";

/** Where `npm run build` puts what the frame is made of. */
const SCRIPT = new URL("graphiql.bundle.js", import.meta.url);
const STYLE = new URL("graphiql.bundle.css", import.meta.url);

/**
 * The one script is known by its hash: a document without an origin has no `'self'`, and the package's styles are added by its
 * script. Editors work in workers made from blobs.
 */
const contentPolicy = (script: string): string =>
  [
    "sandbox allow-scripts",
    "default-src 'none'",
    `script-src 'sha256-${createHash("sha256").update(script).digest("base64")}'`,
    "worker-src blob:",
    "style-src 'unsafe-inline'",
    "img-src data:",
    "font-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join("; ");

const pageOf = (script: string, style: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>GraphiQL</title>
    <style>${style}</style>
  </head>
  <body>
    <div id="root"></div>
    <script>${script}</script>
  </body>
</html>
`;

/** Nine megabytes of text. */
async function makeFrame(): Promise<ServedText> {
  const [script, style] = await Promise.all([readFile(SCRIPT, "utf8"), readFile(STYLE, "utf8")]);
  return {
    text: Buffer.from(pageOf(script, style)),
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": contentPolicy(script),
      "X-Frame-Options": "SAMEORIGIN",
    },
  };
}

/** Answers GET and HEAD of the frame. */
export const graphiqlFrame = packedText(makeFrame);
