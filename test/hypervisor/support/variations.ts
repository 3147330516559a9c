// Writes the same answer in the many ways that Perl's JSON and Proxmox VE's versions may write it.
import { isRecord } from "../../../src/hypervisor/proxmox/parse.js";

/** Draws whole numbers below `sides`. */
export type Dice = (sides: number) => number;

/** The same numbers for the same words. */
export function dice(...words: readonly (string | number)[]): Dice {
  let state = 0x811c9dc5;
  for (const letter of words.join("\n")) state = Math.imul(state ^ letter.charCodeAt(0), 0x01000193);
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}

/** One of several. */
export function pick<Value>(draw: Dice, values: readonly Value[]): Value {
  const value = values[draw(values.length)];
  if (value === undefined) throw new Error("There is nothing to choose from");
  return value;
}

/** Keys whose 0 is also written by leaving them out. */
const FLAGS = new Set([
  "template",
  "shared",
  "active",
  "autostart",
  "online",
  "local",
  "quorate",
  "managed",
  "running",
]);

/** Keys of a configuration that are booleans, of which the driver makes text again. */
const SETTINGS = new Set(["onboot", "protection", "unprivileged"]);

/** Lists whose order says something. */
const ORDERED = /\/(?:log|rrddata)$/;

const LEFT_OUT = Symbol("left out");

/** @param path of the request, without its query. */
export function varied(data: unknown, path: string, draw: Dice): unknown {
  if (Array.isArray(data) && data.length === 0 && path !== "/cluster/resources") return pick(draw, [null, []]);
  const value = variedValue(data, { path, draw });
  if (path !== "/cluster/resources" || !Array.isArray(value)) return value;
  return shuffled([...value.filter((row) => !isAway(row)), ...FOREIGN_ROWS], draw);
}

/** Nodes that are away and their storages: such rows are left out. */
const isAway = (row: unknown): boolean =>
  isRecord(row) &&
  ((row["type"] === "node" && row["status"] !== "online") ||
    (row["type"] === "storage" && row["status"] === "unknown"));

/** What the overview of some versions has besides. */
const FOREIGN_ROWS = [
  { id: "sdn/x/localnetwork", type: "sdn", sdn: "localnetwork", node: "x", status: "ok" },
  { id: "network/x/zone/localnetwork", type: "network", network: "localnetwork", "network-type": "zone", node: "x" },
  { id: "/pool/x", type: "pool", pool: "x" },
];

interface Where {
  readonly path: string;
  readonly draw: Dice;
}

function variedValue(value: unknown, where: Where): unknown {
  if (Array.isArray(value)) return variedList(value, where);
  if (typeof value === "object" && value !== null) return variedObject(value, where);
  return variedScalar(value, where.draw);
}

function variedList(list: readonly unknown[], where: Where): unknown[] {
  const items = list.map((item) => variedValue(item, where));
  return ORDERED.test(where.path) || !list.every(isRecord) ? items : shuffled(items, where.draw);
}

function variedObject(object: object, where: Where): object {
  const { draw, path } = where;
  const entries = Object.entries(object).flatMap(([key, value]): [string, unknown][] => {
    const other = variedKey(key, value, where);
    return other === LEFT_OUT ? [] : [[key, other]];
  });
  if (!path.endsWith("/config") && path !== "/access/permissions")
    entries.push(["unheard-of", pick(draw, [null, 1, [], { a: "b" }])]);
  return Object.fromEntries(shuffled(entries, draw));
}

function variedKey(key: string, value: unknown, where: Where): unknown {
  const { draw } = where;
  const isOn = String(value) === "1";
  if (FLAGS.has(key) && (isOn || String(value) === "0")) {
    return isOn ? pick(draw, [1, "1", true]) : pick(draw, [0, "0", false, "", null, LEFT_OUT]);
  }
  if (SETTINGS.has(key) && (isOn || String(value) === "0")) return pick(draw, [Number(value), String(value), isOn]);
  if (value === null || value === undefined) return pick(draw, [null, LEFT_OUT]);
  if (key === "t" && value === "") return pick(draw, ["", null]);
  return variedValue(value, where);
}

function variedScalar(value: unknown, draw: Dice): unknown {
  if (typeof value === "number") return pick(draw, [value, String(value)]);
  if (typeof value === "string" && /^(?:0|[1-9]\d{0,14})$/.test(value)) return pick(draw, [value, Number(value)]);
  return value;
}

export function shuffled<Item>(items: readonly Item[], draw: Dice): Item[] {
  return items
    .map((item) => ({ item, place: draw(0x7fffffff) }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ item }) => item);
}

/** The same JSON with more or less white space. */
export const written = (body: unknown, draw: Dice): string =>
  pick(draw, ["", "\n", " \r\n\t"]) + JSON.stringify(body, null, pick(draw, [0, 2])) + pick(draw, ["", "\n"]);

/** The same name in capitals, small letters or a mixture. */
export const anyCase = (name: string, draw: Dice): string =>
  pick(draw, [name.toUpperCase(), name.toLowerCase(), name.replaceAll(/\b./g, (first) => first.toUpperCase())]);
