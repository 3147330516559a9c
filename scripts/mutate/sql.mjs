// Lists the small changes of an SQL statement that a test should notice: a comparison, a conjunction, an order.
const STATEMENT = /\b(?:select|update|insert|delete|where|from|join|case when)\b/i;

/** Each pattern with what stands in its place; the longer comes first, so that `<=` is no `<`. */
const CHANGES = [
  [/<=/g, ["<", ">="]],
  [/(?<![<-])>=/g, [">", "<="]],
  [/<>/g, ["="]],
  [/(?<![<>!:=])=(?![>=])/g, [">=", "<="]],
  [/(?<![<>=-])<(?![<>=@])/g, ["<="]],
  [/(?<![<>=|-])>(?![>=])/g, [">="]],
  [/\band\b/gi, ["or"]],
  [/\bor\b/gi, ["and"]],
  [/\bis not null\b/gi, ["is null"]],
  [/\bis null\b/gi, ["is not null"]],
  [/\bnot exists\b/gi, ["exists"]],
  [/\bdesc\b/gi, ["asc"]],
  [/\bmin\(/gi, ["max("]],
  [/\bmax\(/gi, ["min("]],
  [/\bfor (?:no key )?update(?: of \w+)?(?: skip locked)?/gi, [""]],
  [/\bskip locked\b/gi, [""]],
  [/ \+ /g, [" - "]],
  [/ - /g, [" + "]],
];

/** @param {string} text */
export const isSql = (text) => STATEMENT.test(text) && /[=<>(]|\bis (?:not )?null\b/i.test(text);

/** @param {string} text @returns {{ from: number, to: number, text: string }[]} */
export function sqlChanges(text) {
  return CHANGES.flatMap(([pattern, others]) =>
    [...text.matchAll(pattern)].flatMap((match) =>
      isAssigned(text, match)
        ? []
        : others.map((other) => ({ from: match.index, to: match.index + match[0].length, text: other })),
    ),
  );
}

/** What is assigned in `set a = 1, b = 2` is no comparison: `>=` is no SQL there. */
function isAssigned(text, { 0: sign, index }) {
  if (sign !== "=") return false;
  const before = text.slice(0, index);
  const clause = [...before.matchAll(/\b(set|where|from|on|and|or|when|select|having|returning|using)\b/gi)].at(
    -1,
  )?.[0];
  return clause?.toLowerCase() === "set";
}
