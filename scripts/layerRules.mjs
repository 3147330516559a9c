// The linter's rules of who may import whom, made from scripts/layers.mjs.
import { readdirSync } from "node:fs";
import { LAYERS } from "./layers.mjs";

/** Libraries by what they are for; a layer names the kinds that it may use. */
const LIBRARIES = {
  addresses: ["ipaddr.js"],
  checks: ["zod"],
  database: ["pg", "kysely", "@mikro-orm/*"],
  graphql: ["graphql", "graphql/*", "graphql-jit", "type-graphql"],
  server: ["express", "@apollo/*", "@as-integrations/*", "graphql-ws", "ws"],
  client: ["undici"],
  queue: ["agenda", "@agendajs/*", "mongodb"],
  keys: ["sshpk"],
  command: ["commander"],
  logs: ["pino", "prom-client"],
  platform: ["node:*"],
};

/** The folders that may name the Proxmox VE driver itself. */
const DRIVER = ["src/hypervisor", "app/server", "simulator", "bench"];

const DEEPEST = 3;

/** The linter's overrides for one layer: an import may leave its folder only for the layers that it names. */
function overridesOf({ folder, imports, libraries }) {
  const message = `${folder} may import ${imports.length === 0 ? "nothing else of the project" : imports.join(", ")} (scripts/layers.mjs)`;
  const denied = LAYERS.map((layer) => layer.folder).filter((other) => other !== folder && !imports.includes(other));
  const packages =
    libraries === undefined
      ? []
      : Object.entries(LIBRARIES).flatMap(([kind, names]) => (libraries.includes(kind) ? [] : names));
  const driver = DRIVER.includes(folder)
    ? []
    : [{ group: ["**/proxmox/**"], message: "the driver is behind its port" }];
  const overrides = [];
  for (let depth = 0; depth <= DEEPEST; depth++) {
    const files = foldersWithin(folder, depth).map((path) => `${path}*.{ts,tsx}`);
    if (files.length === 0) continue;
    overrides.push({
      files,
      rules: {
        "no-restricted-imports": [
          "error",
          {
            patterns: [
              { regex: `^(?:${denied.map((other) => wayTo(folder, other, depth)).join("|")})`, message },
              ...driver,
              ...(packages.length === 0 ? [] : [{ group: packages, message: `${folder} does without this library` }]),
            ],
          },
        ],
      },
    });
  }
  return overrides;
}

/** Patterns of a layer's folders at this depth, without those that are layers of their own. */
function foldersWithin(folder, depth) {
  const inner = LAYERS.filter((other) => other.folder.startsWith(`${folder}/`)).map((other) => other.folder);
  if (depth === 0 || inner.length === 0) return [`${folder}/${"*/".repeat(depth)}`];
  const own = readdirSync(new URL(`../${folder}`, import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !inner.includes(`${folder}/${entry.name}`))
    .map(({ name }) => name);
  return own.map((name) => `${folder}/${name}/${"*/".repeat(depth - 1)}`);
}

/** How a file so deep in a folder writes the way into another, as a regular expression. */
function wayTo(folder, other, depth) {
  const from = folder.split("/");
  const to = other.split("/");
  while (from.length > 0 && from[0] === to[0]) {
    from.shift();
    to.shift();
  }
  // From app/server to app: anything there but the layers within it, which have names of their own in the table.
  const inner = LAYERS.flatMap((layer) =>
    layer.folder.startsWith(`${other}/`) ? layer.folder.slice(other.length + 1) : [],
  );
  const rest = to.length === 0 ? `(?!(?:${inner.join("|")})/)` : `${to.join("/")}/`;
  return `(?:\\.\\./){${from.length + depth}}${depth === 0 && from.length === 0 ? "\\./" : ""}${rest}`;
}

export const layerOverrides = LAYERS.flatMap(overridesOf);
