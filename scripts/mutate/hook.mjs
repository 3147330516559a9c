// Loads one compiled file changed, as the environment says, in this process and in those that it starts.
import { readFileSync, realpathSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

let mutant = JSON.parse(process.env.DROVER_MUTANT ?? "null");
let turn = 0;
const compiled = `${pathToFileURL(realpathSync(fileURLToPath(new URL("../../dist", import.meta.url)))).href}/`;

/** From now on the file of `next` is changed, and every compiled file is loaded once more when it is imported. */
export function mutate(next) {
  mutant = next;
  turn++;
}

/** The address under which a compiled file is loaded in this turn. */
export const inTurn = (url) => (turn === 0 || !url.startsWith(compiled) ? url : `${url}?turn=${turn}`);

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context);
    return { ...resolved, url: inTurn(resolved.url) };
  },
  load(url, context, nextLoad) {
    const [file] = url.split("?");
    if (mutant === null || file !== mutant.url) return nextLoad(url, context);
    const source = readFileSync(new URL(file), "utf8");
    return {
      format: "module",
      source: source.slice(0, mutant.start) + mutant.text + source.slice(mutant.end),
      shortCircuit: true,
    };
  },
});
