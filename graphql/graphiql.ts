// Serves GraphiQL from local files, with a content security policy that allows nothing from elsewhere.
import type { RequestHandler } from "express";
import { packedText } from "../src/http/packedText.js";

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

/** Nine megabytes of text. */
async function makePage(): Promise<Buffer> {
  const { renderGraphiQL } = await import("@graphql-yoga/render-graphiql");
  return Buffer.from(
    renderGraphiQL({
      title: "Drover GraphQL",
      endpoint: "/graphql",
      defaultQuery: FIRST_QUERY,
      headers: JSON.stringify({ Authorization: "Bearer " }, null, 2),
      subscriptionsProtocol: "WS",
    }),
  );
}

const page = packedText(makePage, {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": CONTENT_POLICY,
  Vary: "Accept",
});

/** Answers browsers that open the address; programs are passed on. */
export const graphiql: RequestHandler = async (request, response, next) => {
  if (request.method !== "GET" || request.query["query"] !== undefined || request.accepts("json", "html") !== "html") {
    next();
    return;
  }
  await page(request, response, next);
};
