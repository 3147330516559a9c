// Writes HTML from parts that are escaped unless they are HTML already.

/** Text that is HTML. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | readonly Html[];

/** A template whose values are escaped; HTML and lists of it are taken as they are. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(String.raw({ raw: texts }, ...parts.map(textOf)));
}

function textOf(part: Part): string {
  if (part instanceof Html) return part.text;
  return typeof part === "string" ? escape(part) : part.map(({ text }) => text).join("");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);

/** Text whose `parts in backquotes` are code. */
export const prose = (text: string): Html =>
  html`${text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;
