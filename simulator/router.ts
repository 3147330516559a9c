// Finds the route for a method and path segments among those that a release has.
import type { ApiMethod } from "./api.js";
import type { PropertyTable } from "./parameters/propertyTable.js";
import { methodTable } from "./parameters/schema.js";
import type { Route } from "./route.js";
import type { Release } from "./version.js";

/** A route with what it accepts and the values found in the path. */
export interface Match {
  route: Route;
  table: PropertyTable;
  pathParameters: Record<string, string>;
}

interface Branch {
  children: Map<string, Branch>;
  /** Branch for any segment, and the parameter's name. */
  variable: { name: string; branch: Branch } | null;
  routes: Map<ApiMethod, { route: Route; table: PropertyTable }>;
}

/** Last parameters of a path that may hold slashes themselves, as volume names do. */
const greedy: ReadonlySet<string> = new Set(["volume", "cidr"]);

/** Routes as a tree of segments; literal segments win over parameters. */
export class Router {
  readonly #root = branch();

  constructor(routes: readonly Route[], release: Release) {
    for (const route of routes) {
      if (route.releases?.includes(release) === false) continue;
      const table = route.accepts ?? methodTable(release, `${route.method} ${route.path}`);
      if (table !== null) this.#place(route.path).routes.set(route.method, { route, table });
    }
  }

  /** Null where the release has no such path, or not with this method. */
  find(method: ApiMethod, segments: readonly string[]): Match | null {
    const pathParameters: Record<string, string> = {};
    let current = this.#root;
    for (const [index, segment] of segments.entries()) {
      const known = current.children.get(segment);
      if (known !== undefined) {
        current = known;
        continue;
      }
      const step = stepInto(current, segments.slice(index));
      if (step === null) return null;
      pathParameters[step.name] = step.value;
      current = step.branch;
      if (step.isLast) break;
    }
    const found = current.routes.get(method);
    return found === undefined ? null : { ...found, pathParameters };
  }

  #place(path: string): Branch {
    let current = this.#root;
    for (const part of path.split("/").filter((segment) => segment !== "")) {
      const name = /^\{(\w+)\}$/.exec(part)?.[1];
      current = name === undefined ? literal(current, part) : variable(current, name);
    }
    return current;
  }
}

interface Step {
  name: string;
  value: string;
  branch: Branch;
  isLast: boolean;
}

/** Takes the next segment, or all that are left, for the parameter of a branch; null where there is none, or the value has a blank. */
function stepInto({ variable: parameter }: Branch, left: readonly string[]): Step | null {
  if (parameter === null) return null;
  const isLast = greedy.has(parameter.name);
  const value = isLast ? left.join("/") : (left[0] ?? "");
  return /^\S+$/.test(value) ? { ...parameter, value, isLast } : null;
}

function branch(): Branch {
  return { children: new Map(), variable: null, routes: new Map() };
}

function literal(parent: Branch, part: string): Branch {
  const child = parent.children.get(part) ?? branch();
  parent.children.set(part, child);
  return child;
}

function variable(parent: Branch, name: string): Branch {
  parent.variable ??= { name, branch: branch() };
  return parent.variable.branch;
}
