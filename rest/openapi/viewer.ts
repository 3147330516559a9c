// Shows the description to people with Scalar's viewer, which is served from here and can reach nothing else.
import { readFile } from "node:fs/promises";
import type { Answer } from "../answer.js";
import { packedText } from "../../src/http/packedText.js";
import { PAGE_HEADERS } from "../../src/http/pageHeaders.js";

/** Where `npm run build` puts the viewer's one file. */
const SCRIPT = new URL("viewer.bundle.js", import.meta.url);

/** Of the viewer only what shows the document: neither its own services nor a form that would ask for a token. */
const CONFIGURATION = JSON.stringify({
  url: "openapi.json",
  agent: { disabled: true },
  documentDownloadType: "direct",
  hideClientButton: true,
  hideTestRequestButton: true,
  mcp: { disabled: true },
  showDeveloperTools: "never",
  telemetry: false,
  withDefaultFonts: false,
});

/** The viewer's styles come with its script. */
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export const viewerPage: Answer = {
  status: 200,
  headers: {
    ...PAGE_HEADERS,
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": CONTENT_POLICY,
  },
  body: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Drover REST v1</title>
  </head>
  <body>
    <noscript>For programs, and without a script: <a href="openapi.json">openapi.json</a></noscript>
    <script id="api-reference" data-configuration="${CONFIGURATION.replaceAll('"', "&quot;")}"></script>
    <script src="docs/viewer.js"></script>
  </body>
</html>
`,
};

/** Four megabytes, 1.3 as they are sent; a browser that has them is answered 304. */
export const viewerScript = packedText(async () => ({
  text: await readFile(SCRIPT),
  headers: { "Content-Type": "text/javascript; charset=utf-8" },
}));
