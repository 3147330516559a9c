// Finds the row of a request by its method and path.
import type { Route } from "./route.js";

/** The segments of a path, decoded; one that is no percent-encoded UTF-8 stays as it came, and so names nothing that is. */
export const segmentsOf = (path: string): readonly string[] => path.slice(1).split("/").map(decoded);

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return segment;
    throw error;
  }
}

/** What was found for a path: its row, or the methods that the path has. */
type Match<Row> =
  | { readonly kind: "found"; readonly row: Row; readonly values: (name: string) => string | undefined }
  | { readonly kind: "wrongMethod"; readonly allowed: readonly string[] }
  | { readonly kind: "unknown" };

interface Pattern<Row> {
  readonly literals: readonly (string | null)[];
  readonly positions: ReadonlyMap<string, number>;
  readonly rows: ReadonlyMap<string, Row>;
}

/** A table of rows by path and method. HEAD is answered as GET. */
export class RouteTable<Row extends { readonly route: Route }> {
  readonly #byLength = new Map<number, Pattern<Row>[]>();

  constructor(rows: readonly Row[]) {
    const patterns = Map.groupBy(rows, ({ route }) => route.path);
    for (const [path, together] of patterns) {
      const segments = path.slice(1).split("/");
      const known = this.#byLength.get(segments.length) ?? [];
      this.#byLength.set(segments.length, [...known, patternOf(segments, together)]);
    }
  }

  find(method: string, segments: readonly string[]): Match<Row> {
    const pattern = this.#byLength.get(segments.length)?.find(({ literals }) => fits(literals, segments));
    if (pattern === undefined) return { kind: "unknown" };
    const row = pattern.rows.get(method === "HEAD" ? "GET" : method);
    if (row === undefined) return { kind: "wrongMethod", allowed: allowedOf(pattern.rows) };
    return { kind: "found", row, values: (name) => segments[pattern.positions.get(name) ?? -1] };
  }
}

function patternOf<Row extends { readonly route: Route }>(
  segments: readonly string[],
  rows: readonly Row[],
): Pattern<Row> {
  const names = segments.map((segment) => /^\{(.+)\}$/.exec(segment)?.[1] ?? null);
  return {
    literals: segments.map((segment, index) => (names[index] === null ? segment : null)),
    positions: new Map(names.flatMap((name, index) => (name === null ? [] : [[name, index]]))),
    rows: new Map(rows.map((row) => [row.route.method, row])),
  };
}

function fits(literals: readonly (string | null)[], segments: readonly string[]): boolean {
  return literals.every((literal, index) => literal === null || literal === segments[index]);
}

const allowedOf = (rows: ReadonlyMap<string, unknown>): string[] =>
  [...rows.keys()].flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
