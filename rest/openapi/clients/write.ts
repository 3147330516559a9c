// Writes the clients under docs/examples and the table of endpoints in docs/rest.md anew: run after a row or a type has changed.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildDroverSchema } from "../../../schema/build.js";
import { routes } from "../../routes/index.js";
import { describeRest } from "../describe.js";
import { writtenFiles } from "./files.js";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

for (const [path, content] of await writtenFiles(root, describeRest(buildDroverSchema(), routes))) {
  await writeFile(join(root, path), content, { mode: path.endsWith(".sh") ? 0o755 : 0o644 });
}
