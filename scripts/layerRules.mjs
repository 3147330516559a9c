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
const foldersWithin = (folder, depth) =>
  depth === 0 || layersWithin(folder).length === 0
    ? [`${folder}/${"*/".repeat(depth)}`]
    : ownFolders(folder).map((name) => `${folder}/${name}/${"*/".repeat(depth - 1)}`);

const layersWithin = (folder) => LAYERS.map((layer) => layer.folder).filter((other) => other.startsWith(`${folder}/`));

/** The folders in one that are no layers of their own. */
const ownFolders = (folder) =>
  readdirSync(new URL(`../${folder}`, import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !layersWithin(folder).includes(`${folder}/${entry.name}`))
    .map(({ name }) => name);

/** How a file so deep in a folder writes the way into another, as a regular expression: without look-around, with which the linter drops the rule. */
function wayTo(folder, other, depth) {
  const from = folder.split("/");
  const to = other.split("/");
  while (from.length > 0 && from[0] === to[0]) {
    from.shift();
    to.shift();
  }
  // From app/server to app: any file there, and any folder but the layers within it.
  const rest =
    to.length === 0
      ? `(?:${["[^/]+$", ...ownFolders(other).map((name) => `${name}/`)].join("|")})`
      : `${to.join("/")}/`;
  return `(?:\\.\\./){${from.length + depth}}${depth === 0 && from.length === 0 ? "\\./" : ""}${rest}`;
}

export const layerOverrides = LAYERS.flatMap(overridesOf);
