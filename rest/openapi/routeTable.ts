// Writes the table of all endpoints that docs/rest.md shows, as the repository's formatter formats it.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { format } from "oxfmt";
import { callsOf, type DescribedCall, type OpenApiDocument } from "./document.js";

const BEGIN = "<!-- endpoints: written from the OpenAPI document -->";
const END = "<!-- /endpoints -->";
const FORMAT = fileURLToPath(new URL("../../../.oxfmtrc.json", import.meta.url));

/** Puts the table where `page` has its marks. @throws Error when it has none, or cannot be formatted */
export async function withRouteTable(page: string, document: OpenApiDocument): Promise<string> {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error("The page has no place for the table of endpoints");
  const draft = `${before}${BEGIN}\n\n${tableOf(document)}\n\n${END}${after}`;
  const options: unknown = JSON.parse(await readFile(FORMAT, "utf8"));
  const { code, errors } = await format("rest.md", draft, Object(options));
  const [fault] = errors;
  if (fault !== undefined) throw new Error(`The page cannot be formatted: ${fault.message}`);
  return code;
}

function tableOf(document: OpenApiDocument): string {
  return document.tags
    .map(({ name }) => {
      const rows = callsOf(document).filter(({ operation }) => operation.tags.includes(name));
      return `### ${name}\n\n| endpoint | what it does | takes | answers |\n|---|---|---|---|\n${rows.map(rowOf).join("\n")}`;
    })
    .join("\n\n");
}

function rowOf({ method, path, operation }: DescribedCall): string {
  const body = operation.requestBody?.content["application/json"]?.schema;
  const query = (operation.parameters ?? []).filter((parameter) => parameter.in === "query");
  const names = [
    ...query.map(({ name, required }) => fieldOf(name, required)),
    ...Object.keys(body?.properties ?? {}).map((name) => fieldOf(name, body?.required?.includes(name) === true)),
  ];
  const statuses = Object.keys(operation.responses).filter((status) => status !== "default");
  return `| \`${method} ${path}\` | ${operation.summary} | ${names.join(", ")} | ${statuses.join(", ")} |`;
}

/** What must be sent is bold. */
const fieldOf = (name: string, required: boolean): string => (required ? `**${name}**` : name);
