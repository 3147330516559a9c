// Writes API paths and parameters the way every version of the platform reads them.

/** A parameter; undefined is left out, booleans are sent as 1 and 0. */
export type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** Tag for a path whose inserted segments are percent-encoded: volume ids and UPIDs hold `:`, `/`, `@` and `!`. */
export const apiPath = (texts: TemplateStringsArray, ...segments: readonly (string | number)[]): string =>
  texts.reduce((path, text, index) => path + encodeURIComponent(segments[index - 1] ?? "") + text);

/** @returns parameters as a query string or form body, without a leading `?`. */
export function encodeParameters(parameters: Parameters): string {
  const encoded = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) encoded.append(name, typeof value === "boolean" ? (value ? "1" : "0") : String(value));
  }
  return encoded.toString();
}
