// Refuses documents of requests over HTTP that must not get as far as being checked.
import type { RequestHandler } from "express";
import { GraphQLError, parse, type DocumentNode } from "graphql";
import { MOST_TOKENS } from "./apollo.js";
import { refuseConditionalSubscriptions } from "./conditionalSubscriptions.js";
import { presentCallerFault } from "./errorPresentation.js";
import { refuseDeepText } from "./nesting.js";

/** Few requests hold both, and only those are parsed here. */
const MAY_BE_CONDITIONAL = [/\bsubscription\b/, /@/] as const;

/** Looks at the document in the body and in the query string. */
export const refuseUncheckable: RequestHandler = (request, response, next) => {
  try {
    for (const text of [queryOf(request.body), queryOf(request.query)]) refuseText(text);
    next();
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const { locations } = error;
    const presented = { ...presentCallerFault(error), ...(locations === undefined ? {} : { locations }) };
    response.status(400).json({ errors: [presented] });
  }
};

function refuseText(text: string): void {
  refuseDeepText(text);
  if (!MAY_BE_CONDITIONAL.every((sign) => sign.test(text))) return;
  const document = parsed(text);
  if (document !== null) refuseConditionalSubscriptions(document);
}

/** Null: it cannot be parsed, which whoever checks it says. */
function parsed(text: string): DocumentNode | null {
  try {
    return parse(text, { maxTokens: MOST_TOKENS });
  } catch (error) {
    if (error instanceof GraphQLError) return null;
    throw error;
  }
}

/** Anything but a text is refused by whoever parses it. */
function queryOf(given: unknown): string {
  const query: unknown = typeof given === "object" && given !== null && "query" in given ? given.query : "";
  return typeof query === "string" ? query : "";
}
