// Writes the table of endpoints in docs/rest.md: run after a route has changed.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { buildDroverSchema } from "../../resolvers/buildSchema.js";
import { routes } from "../routes/index.js";
import { describeRest } from "./describe.js";
import { withRouteTable } from "./routeTable.js";

const page = fileURLToPath(new URL("../../../docs/rest.md", import.meta.url));

await writeFile(page, await withRouteTable(await readFile(page, "utf8"), describeRest(buildDroverSchema(), routes)));
