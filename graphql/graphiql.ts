// Serves GraphiQL from local files, with a content security policy that allows nothing from elsewhere.
import type { RequestHandler } from "express";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

const FIRST_QUERY = `# Send your token as a header (below): {"Authorization": "Bearer …"}
{
  viewer { permissions hostIds }
  hosts { items { id name kind nodes { name status cpuUsage memoryUsedMb memoryMb } guestCount } }
}
`;

/** The page is one file with scripts and styles in it; Monaco makes its workers from blobs. */
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'unsafe-inline' 'unsafe-eval' blob:",
  "worker-src blob:",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

interface Page {
  readonly plain: Buffer;
  readonly compressed: Buffer;
  readonly tag: string;
}

let page: Promise<Page> | undefined;

/** Nine megabytes of text: made at the first visit, kept compressed. */
async function makePage(): Promise<Page> {
  const { renderGraphiQL } = await import("@graphql-yoga/render-graphiql");
  const plain = Buffer.from(
    renderGraphiQL({
      title: "Drover GraphQL",
      endpoint: "/graphql",
      defaultQuery: FIRST_QUERY,
      headers: JSON.stringify({ Authorization: "Bearer " }, null, 2),
      subscriptionsProtocol: "WS",
    }),
  );
  const tag = `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`;
  return { plain, compressed: await promisify(gzip)(plain), tag };
}

/** Answers browsers that open the address; programs are passed on. */
export const graphiql: RequestHandler = async (request, response, next) => {
  if (request.method !== "GET" || request.query["query"] !== undefined || request.accepts("json", "html") !== "html") {
    next();
    return;
  }
  const { plain, compressed, tag } = await (page ??= makePage());
  response.set({
    "Content-Security-Policy": CONTENT_POLICY,
    "Cache-Control": "no-cache",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    ETag: tag,
    Vary: "Accept, Accept-Encoding",
  });
  if (request.headers["if-none-match"] === tag) {
    response.status(304).end();
    return;
  }
  const packed = request.acceptsEncodings("gzip") === "gzip";
  if (packed) response.set("Content-Encoding", "gzip");
  response.type("html").end(packed ? compressed : plain);
};
