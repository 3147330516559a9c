// Parses and validates documents, and caches valid ones: thousands of followers of a record send the same text.
import { parse, validate, type DocumentNode, type GraphQLError, type GraphQLSchema } from "graphql";
import { LRUCache } from "lru-cache";
import { MOST_TOKENS } from "./apollo.js";
import { refuseConditionalSubscriptions } from "./conditionalSubscriptions.js";
import { refuseDeepText } from "./nesting.js";

/** Parsed documents in the cache; the least recently used are evicted. */
const MOST_DOCUMENTS = 500;
/** Longer texts are rare, and would take the memory of many. */
const LONGEST_REMEMBERED = 10_000;

/** Thrown for a document that does not fit the schema. */
export class InvalidDocument extends Error {
  constructor(readonly faults: readonly GraphQLError[]) {
    super("The document is not valid");
  }
}

/** Reads the text of an operation. @throws GraphQLError when it cannot be parsed or checked, InvalidDocument */
export type ReadDocument = (text: string) => DocumentNode;

/** @returns what reads documents for the schema: the same object for the same text, while it is remembered. */
export function documentsOf(schema: GraphQLSchema): ReadDocument {
  const remembered = new LRUCache<string, DocumentNode>({ max: MOST_DOCUMENTS });

  return (text) => {
    const known = remembered.get(text);
    if (known !== undefined) return known;
    const document = readAnew(text);
    if (text.length <= LONGEST_REMEMBERED) remembered.set(text, document);
    return document;
  };

  function readAnew(text: string): DocumentNode {
    refuseDeepText(text);
    const document = parse(text, { maxTokens: MOST_TOKENS });
    refuseConditionalSubscriptions(document);
    const faults = validate(schema, document);
    if (faults.length > 0) throw new InvalidDocument(faults);
    return document;
  }
}
