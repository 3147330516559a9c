// Reads JSON request bodies, refusing broken ones with the words of Perl's JSON::XS.
import { describeFault } from "./jsonFault.js";

const source = "/usr/share/perl5/PVE/APIServer/AnyEvent.pm";
const decodeLine = 934;
const deleteLine = 978;
const shownLength = 32;

/** A body that the server's own code dies on: plain-text 500 (the text carries its Perl line). */
export class JsonBodyError extends Error {}

/**
 * Parses a body that must be a JSON object.
 * @throws JsonBodyError for broken JSON and for anything but an object
 */
export function parseJsonBody(text: string): Record<string, unknown> {
  const value = parse(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw new JsonBodyError(`${notAnObject(value)} at ${source} line ${deleteLine}.`);
}

function notAnObject(value: unknown): string {
  // Lists are references to arrays, and truth values to scalars.
  if (Array.isArray(value) || typeof value === "boolean") return "Not a HASH reference";
  if (value === null) return "Can't use an undefined value as a HASH reference";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const shown = text.length > shownLength ? `"${text.slice(0, shownLength)}"...` : `"${text}"`;
  return `Can't use string (${shown}) as a HASH ref while "strict refs" in use`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new JsonBodyError(`${describeFault(text)} at ${source} line ${decodeLine}.`);
  }
}
