// Reads the fields of a body: JSON or a form.
import { isUtf8 } from "node:buffer";
import type { Problem } from "../src/core/problem.js";
import { contentTypeOf, formValues, isForm, isJson, parseJson } from "../src/http/content.js";
import type { RawValues } from "./variables.js";

/** What a body says, or why it says nothing. */
interface Body {
  readonly values: RawValues;
  readonly problems: readonly Problem[];
}

/** Names the body in a problem of it as a whole. */
export const WHOLE_BODY = "body";

const NOTHING: RawValues = () => undefined;

/**
 * @param contentType the header; JSON without one
 * @returns its fields. JSON that is broken or no object is a problem of `body`; forms may repeat a field, or call it `name[]` or `name[0]`
 */
export function readFields(bytes: Buffer, contentType: string | undefined): Body {
  if (bytes.length === 0) return { values: NOTHING, problems: [] };
  if (!isUtf8(bytes)) return unreadable("is not UTF-8");
  const text = new TextDecoder().decode(bytes);
  const type = contentTypeOf(contentType);
  if (isForm(type)) return readForm(text);
  if (isJson(type)) return readJson(text);
  return unreadable("must be application/json or application/x-www-form-urlencoded");
}

function readJson(text: string): Body {
  const parsed = parseJson(text);
  if (parsed === undefined) return unreadable("is not valid JSON");
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    return unreadable("must be a JSON object");
  const members = new Map<string, unknown>(Object.entries(parsed));
  return { values: (name) => members.get(name), problems: [] };
}

function readForm(text: string): Body {
  if (!escapesUtf8(text)) return unreadable("is not UTF-8");
  const fields = formValues(text);
  const values: RawValues = (name) => {
    const given = fields.get(name) ?? [];
    return given.length > 1 ? given : given[0];
  };
  return { values, problems: [] };
}

/** What stands between escapes is UTF-8 itself, so that each run of them has whole characters or broken ones. */
const escapesUtf8 = (form: string): boolean =>
  (form.match(/(?:%[0-9a-f]{2})+/gi) ?? []).every((run) => isUtf8(Buffer.from(run.replaceAll("%", ""), "hex")));

const unreadable = (message: string): Body => ({ values: NOTHING, problems: [{ field: WHOLE_BODY, message }] });
