// Serves the dashboard's built files: names with a hash may be kept for ever, the page itself is asked for again each time.
import type { Express, Request, RequestHandler, Response } from "express";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Logger } from "../../src/observability/log.js";
import { labelRoute } from "../../src/http/countRequests.js";
import { PAGE_HEADERS } from "../../src/http/pageHeaders.js";

/** Where `npm run build` puts the dashboard. */
const BUILT = fileURLToPath(new URL("../../dashboard", import.meta.url));
const PAGE = "/index.html";
/** The build leaves this in the page where its content policy's nonce belongs. */
const NONCE_PLACEHOLDER = /DROVER_NONCE/g;
/** A suffix begins with a letter: the view of an IP address ends in a dot and a figure. */
const NAMED_AS_FILE = /\.[a-z]\w*$/i;
const HASHED = /^\/assets\//;
const FOR_EVER = "public, max-age=31536000, immutable";
/** Paths that belong to the service's other doors: but for `GRAPHIQL`, nothing at or below them is a view of the dashboard. */
const OTHER_DOORS = /^\/(api|graphql|healthz|readyz|metrics)(\/|$)/;
/** Where programs speak GraphQL; a browser that opens the address is shown GraphiQL. */
const GRAPHIQL = "/graphql";
/** Copies that the build made, best first: encoding and suffix. */
const COPIES = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

/** A built file with its compressed copies, by encoding. */
interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  readonly copies: ReadonlyMap<string, Buffer>;
}

/**
 * Mounts the dashboard: whatever is not below the other doors' paths, and a browser asks for, is one of its views. It needs nothing
 * of the service, so that it is there while the service still starts. Without a built dashboard nothing is mounted.
 */
export function mountDashboard(app: Express, log: Logger, directory = BUILT): void {
  if (!existsSync(join(directory, PAGE))) {
    log.info({ directory }, "no dashboard was built: none is served");
    return;
  }
  const assets = readAssets(directory);
  const page = readFileSync(join(directory, PAGE), "utf8");
  app.use(answer(assets, page));
}

/** The files are few and small: they are read once and kept. */
function readAssets(directory: string): ReadonlyMap<string, Asset> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  const originals = paths.filter((path) => !COPIES.some(([, suffix]) => path.endsWith(suffix)));
  return new Map(originals.map((path) => [path.slice(directory.length), readAsset(path)]));
}

function readAsset(path: string): Asset {
  const made = COPIES.filter(([, suffix]) => existsSync(path + suffix));
  const copies = new Map(made.map(([encoding, suffix]) => [encoding, readFileSync(path + suffix)]));
  return { type: extname(path), plain: readFileSync(path), copies };
}

function answer(assets: ReadonlyMap<string, Asset>, page: string): RequestHandler {
  return (request, response, next) => {
    const reading = request.method === "GET" || request.method === "HEAD";
    if (!reading || (OTHER_DOORS.test(request.path) && !opensGraphiql(request))) return next();
    const asset = request.path === PAGE ? undefined : assets.get(request.path);
    if (asset === undefined && !isView(request)) return next();
    labelRoute(response, "/");
    if (asset === undefined) sendPage(response, page);
    else sendAsset(request, response, asset);
  };
}

/**
 * The panel itself is there for everybody. Its other views are not named as files are, and whoever opens one takes HTML; a client
 * of the API that took a wrong path gets its 404.
 */
const isView = ({ path, headers }: Request): boolean =>
  path === "/" || path === PAGE || (!NAMED_AS_FILE.test(path) && (headers.accept ?? "").includes("text/html"));

/** A program asks with its query in the address, or takes JSON as soon as HTML. */
const opensGraphiql = (request: Request): boolean =>
  request.path === GRAPHIQL && request.query["query"] === undefined && request.accepts("json", "html") === "html";

function sendAsset(request: Request, response: Response, asset: Asset): void {
  // Browsers name encodings in no particular order: the smallest copy that they take is the best.
  const [encoding, copy] = [...asset.copies].find(([each]) => request.acceptsEncodings(each) === each) ?? [];
  if (encoding !== undefined) response.set("Content-Encoding", encoding);
  response
    .set({
      ...PAGE_HEADERS,
      "Cache-Control": HASHED.test(request.path) ? FOR_EVER : "no-cache",
      Vary: "Accept-Encoding",
    })
    .type(asset.type)
    .end(copy ?? asset.plain);
}

/** The nonce is for the few styles that components make; scripts come as files only, and no text becomes one (`trustedTypes.ts`). */
function sendPage(response: Response, page: string): void {
  const nonce = randomBytes(16).toString("base64");
  response
    .set({
      ...PAGE_HEADERS,
      "Cache-Control": "no-cache",
      "Content-Security-Policy": contentPolicy(nonce),
      Vary: "Accept",
    })
    .type("html")
    .end(page.replace(NONCE_PLACEHOLDER, nonce));
}

const contentPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types default",
  ].join("; ");
