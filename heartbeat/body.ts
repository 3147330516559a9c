// Reads what the body of a heartbeat says: JSON in any of Unicode's encodings, or a form.
import { contentTypeOf, formValues, isForm, isJson, parseJson } from "../src/http/content.js";
import { coerced, coercedForm } from "./coercion.js";

const utf8 = new TextDecoder();

/** @returns its fields, not checked yet; undefined when they cannot be read */
export function readFields(bytes: Buffer, contentTypeHeader: string | undefined): unknown {
  const type = contentTypeOf(contentTypeHeader);
  if (isForm(type)) return coercedForm(formOf(utf8.decode(bytes)));
  if (!isJson(type)) return undefined;
  if (bytes.length === 0) return {};
  const text = decoded(bytes, type.charset);
  return text === null ? undefined : coerced(parseJson(text));
}

/** @returns null when nothing is encoded so */
function decoded(bytes: Buffer, charset: string): string | null {
  if (charset === "utf-8") return utf8.decode(bytes);
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** A field that is sent once is a text, not a list. */
const formOf = (form: string): Readonly<Record<string, unknown>> =>
  Object.fromEntries([...formValues(form)].map(([name, values]) => [name, values.length > 1 ? values : values[0]]));
