// Makes routes of the table of features that nobody has set up.
import type { PropertyTable } from "../parameters/propertyTable.js";
import { node, vmid } from "../parameters/common.js";
import type { Route } from "../route.js";
import { answer } from "../route.js";
import type { ReadRoute } from "./reads.js";
import { reads } from "./reads.js";

/** What a parameter in the path of one of them accepts. */
const inPath: PropertyTable = {
  id: { type: "string", format: "pve-configid" },
  node,
  userid: { type: "string", format: "pve-userid", maxLength: 64 },
  vmid,
};

export const unconfiguredRoutes: Route[] = reads.map(toRoute);

function toRoute({ path, data, query, ...read }: ReadRoute): Route {
  return {
    method: "GET",
    path,
    accepts: { ...pathTable(path), ...query },
    handle: (call) => answer(typeof data === "function" ? data(call) : data),
    ...read,
  };
}

function pathTable(path: string): PropertyTable {
  const names = [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);
  return Object.fromEntries(
    names.map((name) => {
      const schema = inPath[name];
      if (schema === undefined) throw new Error(`no schema for '${name}' of ${path}`);
      return [name, schema];
    }),
  );
}
