// Serves the description of REST v1, as a document for programs and as a page for people; neither needs a token.
import type { GraphQLSchema } from "graphql";
import { failure, type Answer } from "../answer.js";
import type { Route } from "../route.js";
import { describeRest } from "./describe.js";
import { viewerPage } from "./viewer.js";

/** Answers a request for the description; null when the path is another. */
type Pages = (method: string | undefined, path: string) => Answer | null;

/** Programs of other origins may read what anybody may. */
const DOCUMENT_HEADERS = { "Access-Control-Allow-Origin": "*" };

/** @throws Error when a row cannot be described: the service must not start then */
export function describingPages(schema: GraphQLSchema, routes: readonly Route[]): Pages {
  const document = describeRest(schema, routes);
  const answers = new Map<string, Answer>([
    ["/openapi.json", { status: 200, body: JSON.stringify(document), headers: DOCUMENT_HEADERS }],
    ["/docs", viewerPage],
  ]);
  return (method, path) => {
    const answer = answers.get(path);
    if (answer === undefined) return null;
    if (method === "GET" || method === "HEAD") return answer;
    return failure(405, "This path does not have that method", { Allow: "GET, HEAD" });
  };
}
