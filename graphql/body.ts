// Reads the body of a GraphQL request over HTTP: JSON in UTF-8.
import { BodyRefused } from "../src/access/admission/body.js";
import { contentTypeOf, parseJson } from "../src/http/content.js";

const utf8 = new TextDecoder();

/**
 * @returns what the body says, not checked yet; undefined when there is none, or none of the type that GraphQL has over HTTP
 * @throws BodyRefused for JSON that is broken or in another encoding
 */
export function operationOf(bytes: Buffer, contentType: string | undefined): unknown {
  const { type, charset } = contentTypeOf(contentType ?? "");
  if (bytes.length === 0 || type !== "application/json") return undefined;
  if (charset !== "utf-8") throw new BodyRefused("unknownEncoding");
  const operation = parseJson(utf8.decode(bytes));
  if (operation === undefined) throw new BodyRefused("unreadable");
  return operation;
}
