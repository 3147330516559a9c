// Every file under docs/ that is written from the OpenAPI document, formatted as the repository's formatter does.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { format } from "oxfmt";
import type { OpenApiDocument } from "../document.js";
import { phpClient } from "./php.js";
import { withRouteTable } from "./routeTable.js";
import { shellClient } from "./shell.js";
import { typescriptClient } from "./typescript.js";

/** Contents by path from the repository's root. @throws Error when one cannot be formatted */
export async function writtenFiles(root: string, document: OpenApiDocument): Promise<ReadonlyMap<string, string>> {
  const page = "docs/rest.md";
  const drafts = {
    "docs/examples/drover.sh": shellClient(document),
    "docs/examples/drover.ts": typescriptClient(document),
    "docs/examples/Drover.php": phpClient(document),
    [page]: withRouteTable(await readFile(join(root, page), "utf8"), document),
  };
  const options: unknown = JSON.parse(await readFile(join(root, ".oxfmtrc.json"), "utf8"));
  const files = Object.entries(drafts).map(async ([path, draft]): Promise<[string, string]> => [
    path,
    /\.(ts|md)$/.test(path) ? await formatted(path, draft, Object(options)) : draft,
  ]);
  return new Map(await Promise.all(files));
}

async function formatted(path: string, draft: string, options: Parameters<typeof format>[2]): Promise<string> {
  const { code, errors } = await format(path, draft, options);
  const [fault] = errors;
  if (fault !== undefined) throw new Error(`${path} cannot be formatted: ${fault.message}`);
  return code;
}
