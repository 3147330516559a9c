// Reads what the bytes of a body mean: the type that they are declared as, JSON, and forms.
import { MIMEType } from "node:util";

/** A declared type, such as `application/json; charset=utf-8`. */
interface ContentType {
  /** Lower case, without parameters. */
  readonly type: string;
  /** Lower case. */
  readonly charset: string;
}

const FORM = "application/x-www-form-urlencoded";
const UTF8 = "utf-8";
const JSON_IN_UTF8: ContentType = { type: "application/json", charset: UTF8 };

/** @returns the type that a header declares; JSON without a header, a type that fits nothing when the header is malformed */
export function contentTypeOf(header: string | undefined): ContentType {
  if (header === undefined || header === "application/json") return JSON_IN_UTF8;
  try {
    const { essence, params } = new MIMEType(header);
    return { type: essence, charset: (params.get("charset") ?? UTF8).toLowerCase() };
  } catch (error) {
    if (error instanceof TypeError) return { type: header, charset: UTF8 };
    throw error;
  }
}

export const isForm = ({ type }: ContentType): boolean => type === FORM;

export const isJson = ({ type }: ContentType): boolean => type === "application/json" || type.endsWith("+json");

/** @returns what the text says; undefined when it is no JSON, or too deep to be read */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Lists as browsers send them (`keys[]`), and as PHP's `http_build_query` does (`keys[0]`). */
const LIST_MARK = /\[\d*\]$/;

/** The values of each field of a form. A field that was left blank was not filled in. */
export function formValues(form: string): ReadonlyMap<string, readonly string[]> {
  const filled = [...new URLSearchParams(form)].filter(([, value]) => value !== "");
  const fields = Map.groupBy(filled, ([name]) => name.replace(LIST_MARK, ""));
  return new Map([...fields].map(([name, entries]) => [name, entries.map(([, value]) => value)]));
}
