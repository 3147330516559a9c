// Reads `/cluster/resources`, the one answer that grows with the host: every node, guest and storage of it.
import { NodeStatus } from "../../core/enums.js";
import { parseTags } from "./config/values.js";
import type { NodeLoad, ObservedGuest, ObservedNode, ObservedResources, ObservedStorage } from "../observed.js";
import { MOST_NODES } from "./answerBounds.js";
import type { Ask } from "./client.js";
import { lockCause } from "./config/lockCause.js";
import { guestStatus } from "./guests.js";
import { figureIn, wholeFigureIn, type Figure } from "./figures.js";
import { isRecord, isTrue, nameIn, onceEach, senseless, textIn } from "./parse.js";

/** @throws DroverError PLATFORM_UNINTELLIGIBLE when a row lacks what identifies it */
export async function readResources(ask: Ask): Promise<ObservedResources> {
  const { data, source } = await ask({ method: "GET", path: "/cluster/resources" });
  return parseResources(data, source);
}

/**
 * Checked by hand, row by row: 100,000 guests take 40 ms so, 230 ms with schemas; reading their JSON takes 90 ms.
 * Figures may be missing: of a node that is away, of a guest that is new, for a credential that may not see them.
 * @param source who answered, for the message.
 */
export function parseResources(data: unknown, source = "/cluster/resources"): ObservedResources {
  if (!Array.isArray(data)) throw senseless(source, "no list");
  const nodes: ObservedNode[] = [];
  const guests: ObservedGuest[] = [];
  const storages: ObservedStorage[] = [];
  const impossible: string[] = [];
  for (const row of data) {
    if (!isRecord(row)) throw senseless(source, "a row that is no object");
    if (row["type"] === "qemu" || row["type"] === "lxc") guests.push(guest(row, row["type"], source));
    else if (row["type"] === "node") nodes.push(node(row, source));
    else if (row["type"] === "storage") storages.push(storage(row, source));
    if (impossible.length < MOST_NAMED) impossible.push(...impossibleIn(row));
  }
  if (nodes.length > MOST_NODES) throw senseless(source, `more than ${MOST_NODES} nodes`);
  return {
    nodes: onceEach(nodes, ({ name }) => name),
    guests,
    storages: onceEach(storages, (found) => `${found.node}/${found.name}`),
    impossible,
  };
}

type Row = Readonly<Record<string, unknown>>;

/** Rows with figures that cannot be are named until there are so many. */
const MOST_NAMED = 10;

const FIGURES: readonly (readonly [key: string, figure: Figure])[] = [
  ["maxcpu", "cores"],
  ["cpu", "cpuShare"],
  ["maxmem", "ramBytes"],
  ["mem", "ramBytes"],
  ["maxdisk", "diskBytes"],
  ["disk", "diskBytes"],
  ["uptime", "uptimeSeconds"],
];

/** @returns the figures of a row that are there, and cannot be. */
const impossibleIn = (row: Row): string[] =>
  FIGURES.flatMap(([key, figure]) =>
    row[key] === undefined || row[key] === null || figureIn(row[key], figure) !== null ? [] : [`${idOf(row)}: ${key}`],
  );

function node(row: Row, source: string): ObservedNode {
  return {
    name: required(row, "node", source),
    status:
      row["status"] === "online"
        ? NodeStatus.ONLINE
        : row["status"] === "offline"
          ? NodeStatus.OFFLINE
          : NodeStatus.UNKNOWN,
    uptimeSeconds: figureIn(row["uptime"], "uptimeSeconds"),
    cpuCores: wholeFigureIn(row["maxcpu"], "cores") ?? 0,
    memoryBytes: figureIn(row["maxmem"], "ramBytes") ?? 0,
    load: nodeLoad(row),
  };
}

function nodeLoad(row: Row): NodeLoad | null {
  const [cpuUsage, memoryUsedBytes] = [figureIn(row["cpu"], "cpuShare"), figureIn(row["mem"], "ramBytes")];
  return cpuUsage === null || memoryUsedBytes === null ? null : { cpuUsage, memoryUsedBytes };
}

function guest(row: Row, type: ObservedGuest["type"], source: string): ObservedGuest {
  const vmid = figureIn(row["vmid"], "vmid");
  if (vmid === null || !Number.isInteger(vmid)) throw senseless(source, withoutVmid(row));
  const lock = textIn(row["lock"]);
  return {
    type,
    vmid,
    node: required(row, "node", source),
    name: nameIn(row["name"]),
    status: guestStatus(textIn(row["status"]) ?? "unknown", { qmpstatus: null, lock }),
    template: isTrue(row["template"]),
    lock,
    lockCause: lockCause(lock),
    tags: parseTags(textIn(row["tags"])),
    // Of a container that is limited to a part of a CPU it is that part.
    cores: wholeFigureIn(row["maxcpu"], "cores", Math.ceil),
    memoryBytes: figureIn(row["maxmem"], "ramBytes"),
    diskBytes: wholeFigureIn(row["maxdisk"], "diskBytes"),
    cpuUsage: figureIn(row["cpu"], "cpuShare"),
    memoryUsedBytes: figureIn(row["mem"], "ramBytes"),
    uptimeSeconds: figureIn(row["uptime"], "uptimeSeconds"),
    highlyAvailable: isHighlyAvailable(row["hastate"]),
  };
}

function withoutVmid(row: Row): string {
  const stated = textIn(row["vmid"])?.slice(0, LONGEST_SHOWN);
  return stated === undefined ? `a guest without vmid (${idOf(row)})` : `a guest with the vmid ${stated}`;
}

/** Contents come in any order; a storage without a state is there if it has a size. */
function storage(row: Row, source: string): ObservedStorage {
  const status = textIn(row["status"]);
  const [totalBytes, usedBytes] = [wholeFigureIn(row["maxdisk"], "diskBytes"), wholeFigureIn(row["disk"], "diskBytes")];
  return {
    node: required(row, "node", source),
    name: required(row, "storage", source),
    type: textIn(row["plugintype"]) ?? "unknown",
    content: (textIn(row["content"]) ?? "")
      .split(/[,;\s]+/)
      .filter((part) => part !== "")
      .toSorted(),
    shared: isTrue(row["shared"]),
    active: status === null ? (totalBytes ?? 0) > 0 : status === "available",
    room: totalBytes === null || usedBytes === null ? null : { totalBytes, usedBytes },
  };
}

/** `ignored`: the HA manager knows the guest and leaves it alone. */
const isHighlyAvailable = (state: unknown): boolean => typeof state === "string" && state !== "" && state !== "ignored";

function required(row: Row, key: string, source: string): string {
  const value = nameIn(row[key]);
  if (value === null) throw senseless(source, `a row without ${key} (${idOf(row)})`);
  return value;
}

const idOf = (row: Row): string => textIn(row["id"])?.slice(0, LONGEST_SHOWN) ?? "without id";

/** Of a value in a message. */
const LONGEST_SHOWN = 100;
