// Decodes form bodies and query strings the way pveproxy does, down to its treatment of a second equals sign.

/** Parameters as they arrive: a repeated name is a list. */
export type Parameters = Record<string, unknown>;

/**
 * Decodes `application/x-www-form-urlencoded` text. Pairs end at `&` or `;`; text after a second unescaped `=` is lost,
 * a name without `=` counts as empty (pve-http-server, `decode_urlencoded`).
 */
export function decodeUrlEncoded(text: string): Parameters {
  const parameters: Record<string, unknown> = {};
  for (const pair of text.split(/[&;]/)) {
    if (pair === "") continue;
    const [name = "", value = ""] = pair.split("=");
    addParameter(parameters, unescapeForm(name), unescapeForm(value));
  }
  return parameters;
}

function addParameter(parameters: Parameters, name: string, value: string): void {
  const known = parameters[name];
  if (known === undefined) parameters[name] = value;
  else if (Array.isArray(known)) known.push(value);
  else parameters[name] = [known, value];
}

function unescapeForm(text: string): string {
  return unescapePercent(text.replaceAll("+", " "));
}

/** Replaces `%XX` by its byte and reads the bytes as UTF-8; a `%` that begins no such pair stays. */
export function unescapePercent(text: string): string {
  if (!text.includes("%")) return text;
  const bytes = text.replaceAll(/%([0-9a-fA-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  // What did not come from an escape may be beyond Latin-1 only in parsed headers; there it is left alone.
  return /^[\0-\xff]*$/.test(bytes) ? Buffer.from(bytes, "latin1").toString("utf8") : bytes;
}
