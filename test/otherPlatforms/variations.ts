// Writes the same answer in the many ways that other implementations of the platform, and its own versions, may write it.
import { isRecord } from "../../src/hypervisor/proxmox/parse.js";
import { variedConfig } from "./configurations.js";
import { once, pick, shuffled, type Dice } from "./dice.js";

/** What was asked: a path without `/api2/json`, and whether only volumes of one content are wanted. */
export interface Question {
  readonly path: string;
  readonly isFiltered: boolean;
}

/** Keys whose 0 is also written by leaving them out. */
const FLAGS = new Set(["template", "shared", "active", "autostart", "online", "local", "managed", "running"]);

/** Keys of a configuration that are booleans, of which the driver makes text again. */
const SETTINGS = new Set(["onboot", "protection", "unprivileged"]);

/** Lists whose order says something. */
const ORDERED = /\/(?:log|rrddata)$/;

const TASK_STATUS = /\/tasks\/[^/]+\/status$/;
const TASK_LIST = /\/tasks$/;

/** What the task's id says as well; some of them only together. */
const SAID_BY_ID = [["node"], ["type"], ["id"], ["user", "tokenid"], ["starttime"], ["pid", "pstart"], ["saved"]];

const FIGURES = new Set(["cpu", "mem", "maxmem", "disk", "maxdisk", "size", "total", "used", "memused", "uptime"]);

const LEFT_OUT = Symbol("left out");

export function varied(data: unknown, question: Question, draw: Dice): unknown {
  const { path } = question;
  if (Array.isArray(data) && data.length === 0 && path !== "/cluster/resources") return pick(draw, [null, []]);
  const value = variedValue(withStrangers(data, question, draw), { path, draw });
  return path.endsWith("/config") && isRecord(value) ? variedConfig(value, draw) : value;
}

/** What the overview of some versions has besides. */
const FOREIGN_RESOURCES = [
  { id: "sdn/x/localnetwork", type: "sdn", sdn: "localnetwork", node: "x", status: "ok" },
  { id: "network/x/zone/localnetwork", type: "network", network: "localnetwork", "network-type": "zone", node: "x" },
  { id: "/pool/x", type: "pool", pool: "x" },
];

/** What a list of networks has that knows no filter. */
const FOREIGN_NETWORKS = [
  { iface: "eno1", type: "eth", active: 1, exists: 1 },
  { iface: "bond0", type: "bond", slaves: "eno1 eno2" },
];

const FOREIGN_VOLUMES = [
  { volid: "local:backup/vzdump-qemu-1-x.vma.zst", content: "backup", format: "vma.zst", size: 1 },
];

/** Leaves out rows of what is away, tells others twice, and adds what nobody asked for. */
function withStrangers(data: unknown, { path, isFiltered }: Question, draw: Dice): unknown {
  if (!Array.isArray(data) || ORDERED.test(path)) return data;
  const rows: readonly unknown[] = path === "/cluster/resources" ? data.filter((row) => !isAway(row)) : data;
  const again = rows.filter((row) => isRecord(row) && isNamed(row) && once(draw, 4));
  if (path === "/cluster/resources") return shuffled([...rows, ...again, ...FOREIGN_RESOURCES], draw);
  if (path.endsWith("/network")) return [...rows, ...again, ...FOREIGN_NETWORKS];
  return path.endsWith("/content") && isFiltered ? [...rows, ...again, ...FOREIGN_VOLUMES] : rows;
}

/** Whether a row can be known again. */
const isNamed = (row: Readonly<Record<string, unknown>>): boolean => ["id", "iface", "volid"].some((key) => key in row);

/** Nodes that are away and their storages: such rows are left out. */
const isAway = (row: unknown): boolean =>
  isRecord(row) &&
  ((row["type"] === "node" && row["status"] !== "online") ||
    (row["type"] === "storage" && row["status"] === "unknown"));

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
  const omitted = omittedKeys(object, where);
  const entries = Object.entries(object).flatMap(([key, value]): [string, unknown][] => {
    const other = omitted.has(key) ? LEFT_OUT : variedKey(key, value, where);
    return other === LEFT_OUT ? [] : [[key, other]];
  });
  if (!path.endsWith("/config") && path !== "/access/permissions")
    entries.push(["unheard-of", pick(draw, [null, 1, [], { a: "b" }])]);
  return Object.fromEntries(shuffled(entries, draw));
}

/** Of a task, what is known without; of one that has ended, at times how. */
function omittedKeys(object: object, { path, draw }: Where): ReadonlySet<string> {
  if (path === "/version") return new Set(once(draw, 3) ? ["repoid", "release"] : []);
  if (!TASK_STATUS.test(path) && !TASK_LIST.test(path)) return new Set();
  const known = SAID_BY_ID.filter(() => once(draw, 3)).flat();
  const hasEnded = TASK_STATUS.test(path) && Reflect.get(object, "status") === "stopped";
  return new Set([
    ...known,
    ...(TASK_STATUS.test(path) ? ["upid"] : []),
    ...(hasEnded && once(draw, 4) ? ["exitstatus"] : []),
  ]);
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
  if (typeof value === "string") return variedText(key, value, where);
  if (FIGURES.has(key) && typeof value === "number" && once(draw, 3)) return value.toExponential();
  return variedValue(value, where);
}

function variedText(key: string, text: string, { draw, path }: Where): unknown {
  const isOverview = path === "/cluster/resources";
  if (isOverview && key === "content") return shuffled(text.split(","), draw).join(",");
  if (isOverview && key === "tags") return text.replaceAll(";", pick(draw, [";", ",", " "]));
  const isEnd = key === "exitstatus" || (key === "status" && TASK_LIST.test(path));
  return isEnd ? text + pick(draw, ["", "\n", " "]) : variedScalar(text, draw);
}

function variedScalar(value: unknown, draw: Dice): unknown {
  if (typeof value === "number") return pick(draw, [value, String(value)]);
  if (typeof value === "string" && /^(?:0|[1-9]\d{0,14})$/.test(value)) return pick(draw, [value, Number(value)]);
  return value;
}

/** The same JSON with more or less white space, and its keys in any order. */
export const written = (body: Readonly<Record<string, unknown>>, draw: Dice): string =>
  pick(draw, ["", "\n", " \r\n\t", "\uFEFF"]) +
  JSON.stringify(Object.fromEntries(shuffled(Object.entries(body), draw)), null, pick(draw, [0, 2])) +
  pick(draw, ["", "\n"]);
