// Refuses documents and variables that are nested so deeply that working on them could exhaust the stack, before anybody does.
import { GraphQLError } from "graphql";

/** Braces, brackets and parentheses within each other: far beyond what the bound on the depth of fields lets through. */
const DEEPEST_TEXT = 100;
const BLOCK = '"""';
const OPENING = new Set(["{", "[", "("]);
const CLOSING = new Set(["}", "]", ")"]);

/** @throws GraphQLError with the code `VALIDATION_FAILED` and the reason `TOO_DEEP` */
export function refuseDeepText(text: string): void {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    if (sign === '"') at = endOfString(text, at);
    else if (sign === "#") at = endOfLine(text, at);
    else if (OPENING.has(sign)) depth++;
    else if (CLOSING.has(sign)) depth--;
    if (depth > DEEPEST_TEXT) throw tooDeep("The document is");
  }
}

/** Level by level: the depth of what came as JSON has no bound. @throws GraphQLError as {@link refuseDeepText} */
export function refuseDeepVariables(variables: object): void {
  let level: readonly object[] = [variables];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > DEEPEST_TEXT) throw tooDeep("The variables are");
    level = level.flatMap((value) => Object.values(value).filter(isNested));
  }
}

const isNested = (value: unknown): value is object => typeof value === "object" && value !== null;

/** @returns where the last quote of the string stands that begins at `start`; the end of the text when there is none */
function endOfString(text: string, start: number): number {
  if (text.startsWith(BLOCK, start)) return endOfBlock(text, start + BLOCK.length);
  for (let at = start + 1; at < text.length; at++) {
    const sign = text.charAt(at);
    if (sign === '"' || sign === "\n") return at;
    if (sign === "\\") at++;
  }
  return text.length;
}

function endOfBlock(text: string, start: number): number {
  let end = text.indexOf(BLOCK, start);
  while (end > 0 && text.charAt(end - 1) === "\\") end = text.indexOf(BLOCK, end + BLOCK.length);
  return end < 0 ? text.length : end + BLOCK.length - 1;
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf("\n", start);
  return end < 0 ? text.length : end;
}

/** @param what subject and verb */
const tooDeep = (what: string): GraphQLError =>
  new GraphQLError(`${what} nested more than ${DEEPEST_TEXT} deep`, {
    extensions: { code: "VALIDATION_FAILED", reason: "TOO_DEEP" },
  });
