// Writes API paths and parameters the way every version of the platform reads them.

/** A parameter; undefined is left out, booleans are sent as 1 and 0. */
export type ApiParameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** Tag for a path whose inserted segments are percent-encoded: volume ids and UPIDs hold `:`, `/`, `@` and `!`. */
export const apiPath = (texts: TemplateStringsArray, ...segments: readonly (string | number)[]): string =>
  texts.reduce((path, text, index) => path + encodeURIComponent(segments[index - 1] ?? "") + text);

const NEEDS_NO_ENCODING = /^[\w.-]*$/;

/** @returns parameters as a query string or form body, without a leading `?`. */
export const encodeParameters = (parameters: ApiParameters): string =>
  Object.entries(parameters)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${encode(name)}=${encode(written(value))}`]))
    .join("&");

/**
 * @returns a name or secret as it stands in a header, or in a list that commas divide: the platform decodes the percent-encoded
 *   value of `PVEAPIToken`, and reads it up to a `;`
 */
export const inHeader = (text: string): string => text.replaceAll(/[^\x21-\x7e]|[%,;]/gu, encodeURIComponent);

const written = (value: string | number | boolean): string =>
  typeof value === "boolean" ? (value ? "1" : "0") : String(value);

/** As forms are encoded; what most parameters are made of is the same encoded. */
const encode = (text: string): string =>
  NEEDS_NO_ENCODING.test(text) ? text : new URLSearchParams([["", text]]).toString().slice(1);
