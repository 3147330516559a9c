// Everything that the panel shows as text stands in dashboard/texts, ready for translation, in the terms of the field.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";
import { z } from "zod";

const DASHBOARD = join(import.meta.dirname, "..", "..", "..", "dashboard");
const TEXTS = join(DASHBOARD, "texts");
const GENERATED = join(DASHBOARD, "generated");

/** Attributes and properties whose values are read by people. */
const SHOWN = new Set([
  "label",
  "placeholder",
  "title",
  "aria-label",
  "description",
  "note",
  "verb",
  "empty",
  "failed",
]);
/** Commands and examples that are the same in every language. */
const LITERAL = new Set(["drover", "AA:BB:…"]);
const COMMAND = /^(pveum|openssl) /;

/** Words that the field has a standard term for, with that term. */
const REPLACED: readonly (readonly [word: RegExp, term: string])[] = [
  [/\banew\b/i, "again, Reload, Reinstall"],
  [/\bgiv(e|en) (up|to)\b/i, "Drop, Change owner"],
  [/\bempt(y|ied) (a|this|the) (host|node)\b/i, "Evacuate"],
  [/\bforg(et|otten)\b/i, "Remove"],
  [/\bmov(e|es|ed|ing)\b/i, "Migrate, migration"],
  [/\bhot\b/i, "overloaded"],
  [/\bcool/i, "recommendation"],
  [/\bsuggest/i, "recommendation"],
  [/\b(chosen|choose)\b/i, "selected, Select"],
  [/\b(taken|taking) back\b/i, "rolling back"],
  [/\b(asks?|asked|told|tells?|says?|said)\b/i, "a noun or a passive: the service is no person"],
  [/\bin the way\b/i, "blocking issue"],
  [/\boffer(ed|s)?\b/i, "publish, active"],
  [/\b(a|per) (line|page) is\b/i, "rows per page"],
  [/\bsshKeys\b|\bhosts\.manage\b|\bpreflight\b/, "a label instead of the API's name"],
];

const node = z.looseObject({ type: z.string() });
type Node = z.infer<typeof node>;
const name = z.looseObject({ name: z.string() });

/** Names and values side by side are lists in the pages. */
const LIST = "list";

const nameOf = (part: Node): string | undefined =>
  name.safeParse(part.type === "JSXAttribute" ? part["name"] : part["key"]).data?.name;

interface Found {
  readonly text: string;
  /** Of the attributes, properties and lists around it, the innermost one. */
  readonly under: string | null;
  readonly kind: "child" | "string";
}

/** The texts of a part of a program. */
function textsOf(part: unknown, under: string | null): Found[] {
  if (Array.isArray(part)) return part.flatMap((each) => textsOf(each, under));
  const { success, data } = node.safeParse(part);
  if (!success) return [];
  const own = ownText(data);
  if (own !== null) return [{ ...own, under }];
  const inner = data.type === "ArrayExpression" ? LIST : (nameOf(data) ?? under);
  return Object.entries(data)
    .filter(([field]) => field !== "key" || data.type !== "Property")
    .flatMap(([, value]) => textsOf(value, inner));
}

/** What a program compares, imports or throws is read by nobody. */
const isUnread = ({ type, operator }: Node): boolean =>
  ["ImportDeclaration", "TSLiteralType", "ThrowStatement"].includes(type) ||
  (type === "BinaryExpression" && operator !== "+");

function ownText(part: Node): Omit<Found, "under"> | null {
  const { type, value, quasis } = part;
  if (isUnread(part)) return { text: "", kind: "string" };
  if (type === "JSXText" && typeof value === "string") return { text: value.trim(), kind: "child" };
  if (type === "Literal" && typeof value === "string") return { text: value, kind: "string" };
  const parts = z.array(z.looseObject({ value: z.looseObject({ cooked: z.string() }) })).safeParse(quasis);
  if (type !== "TemplateLiteral" || !parts.success) return null;
  return { text: parts.data.map((quasi) => quasi.value.cooked).join("…"), kind: "string" };
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

const read = (file: string): Found[] => textsOf(parseSync(file, readFileSync(file, "utf8")).program, null);

const isWords = (text: string): boolean => /\p{L}{2}/u.test(text) && !LITERAL.has(text) && !COMMAND.test(text);

describe("the texts of the panel", () => {
  it("stand in dashboard/texts and nowhere else", () => {
    const files = filesIn(DASHBOARD).filter((file) => !file.startsWith(TEXTS) && !file.startsWith(GENERATED));
    assert.ok(files.length > 100, `${files.length} files`);
    const stray = files.flatMap((file) =>
      read(file)
        .filter(
          ({ text, under, kind }) => isWords(text) && (kind === "child" || isSentence(text) || isShown(text, under)),
        )
        .map(({ text }) => `${file.slice(DASHBOARD.length + 1)}: ${text}`),
    );
    assert.deepEqual(stray, []);
  });

  it("use the standard terms of the field", () => {
    const found = filesIn(TEXTS).flatMap((file) => read(file).map(({ text }) => text));
    assert.ok(found.length > 500, `${found.length} texts`);
    const wrong = found.flatMap((text) =>
      REPLACED.filter(([word]) => word.test(text)).map(([, term]) => `${text} (better: ${term})`),
    );
    assert.deepEqual(wrong, []);
  });
});

const isShown = (text: string, under: string | null): boolean =>
  under === LIST ? /^\p{Lu}\p{Ll}+(?:\P{L}|$)/u.test(text) : under !== null && SHOWN.has(under);

/** Begins like a sentence and has several words: selectors, formats and addresses do not. */
const isSentence = (text: string): boolean => /^\p{Lu}\p{Ll}+ \p{L}/u.test(text);
