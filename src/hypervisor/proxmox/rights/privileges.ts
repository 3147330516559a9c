// Says what a connection may do on a path of its host, also on one that the host does not list.

/** Privileges by path, each with whether it holds below the path as well. */
export type Permissions = ReadonlyMap<string, ReadonlyMap<string, boolean>>;

/** Something that a connection must be allowed on a path. */
export interface Right {
  readonly path: string;
  /** One of them is enough. */
  readonly privileges: readonly string[];
  /** Whether holding it on a path below is enough: nobody knows which one counts. */
  readonly orBelow?: true;
}

/** @returns the rights that are not held; none when the host does not report them: it refuses what it does not allow. */
export const missingRights = (needed: readonly Right[], held: Permissions | null): Right[] =>
  held === null || held.size === 0 ? [] : needed.filter((right) => !isHeld(held, right));

function isHeld(held: Permissions, { path, privileges, orBelow }: Right): boolean {
  const isOn = (here: ReadonlySet<string>): boolean => privileges.some((privilege) => here.has(privilege));
  if (isOn(privilegesOn(held, path))) return true;
  return (
    orBelow === true &&
    [...held.keys()].some((below) => below.startsWith(`${path}/`) && isOn(privilegesOn(held, below)))
  );
}

/** A host lists every path that has rules of its own; any other has what propagates from the nearest one above it. */
function privilegesOn(held: Permissions, path: string): ReadonlySet<string> {
  const own = held.get(path);
  if (own !== undefined) return new Set(own.keys());
  for (const above of pathsAbove(path)) {
    const inherited = [...(held.get(above) ?? [])].filter(([, propagates]) => propagates);
    if (inherited.length > 0) return new Set(inherited.map(([privilege]) => privilege));
  }
  return new Set();
}

/** `/vms/100`: `/vms`, `/`. */
function pathsAbove(path: string): string[] {
  const parts = path.split("/").filter((part) => part !== "");
  return parts.map((_, index) => `/${parts.slice(0, parts.length - 1 - index).join("/")}`);
}

/** @returns such as `Sys.Audit and Sys.Incoming on /, User.Modify on /access/groups` */
export function describeRights(rights: readonly Right[]): string {
  const byPath = Map.groupBy(rights, ({ path }) => path);
  return [...byPath]
    .map(([path, here]) => `${here.map(({ privileges }) => privileges.join(" or ")).join(" and ")} on ${path}`)
    .join(", ");
}
