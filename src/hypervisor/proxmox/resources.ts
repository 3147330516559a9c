// Reads `/cluster/resources`, the one answer that grows with the host: every node, guest and storage of it.
import { NodeStatus } from "../../core/enums.js";
import { parseTags } from "./config/values.js";
import type { NodeLoad, ObservedGuest, ObservedNode, ObservedResources, ObservedStorage } from "../observed.js";
import type { Ask } from "./client.js";
import { lockCause } from "./config/lockCause.js";
import { guestStatus } from "./guests.js";
import { isRecord, isTrue, numberIn, onceEach, senseless, textIn, wholeIn } from "./parse.js";

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
  for (const row of data) {
    if (!isRecord(row)) throw senseless(source, "a row that is no object");
    if (row["type"] === "qemu" || row["type"] === "lxc") guests.push(guest(row, row["type"], source));
    else if (row["type"] === "node") nodes.push(node(row, source));
    else if (row["type"] === "storage") storages.push(storage(row, source));
  }
  return {
    nodes: onceEach(nodes, ({ name }) => name),
    guests,
    storages: onceEach(storages, (found) => `${found.node}/${found.name}`),
  };
}

type Row = Readonly<Record<string, unknown>>;

function node(row: Row, source: string): ObservedNode {
  return {
    name: required(row, "node", source),
    status:
      row["status"] === "online"
        ? NodeStatus.ONLINE
        : row["status"] === "offline"
          ? NodeStatus.OFFLINE
          : NodeStatus.UNKNOWN,
    uptimeSeconds: numberIn(row["uptime"]),
    cpuCores: wholeIn(row["maxcpu"]) ?? 0,
    memoryBytes: numberIn(row["maxmem"]) ?? 0,
    load: nodeLoad(row),
  };
}

function nodeLoad(row: Row): NodeLoad | null {
  const [cpuUsage, memoryUsedBytes] = [numberIn(row["cpu"]), numberIn(row["mem"])];
  return cpuUsage === null || memoryUsedBytes === null ? null : { cpuUsage, memoryUsedBytes };
}

function guest(row: Row, type: ObservedGuest["type"], source: string): ObservedGuest {
  const vmid = numberIn(row["vmid"]);
  if (vmid === null) throw senseless(source, `a guest without vmid (${idOf(row)})`);
  if (!isVmid(vmid)) throw senseless(source, `a guest with the vmid ${vmid}`);
  const lock = textIn(row["lock"]);
  return {
    type,
    vmid,
    node: required(row, "node", source),
    name: textIn(row["name"]),
    status: guestStatus(textIn(row["status"]) ?? "unknown", { qmpstatus: null, lock }),
    template: isTrue(row["template"]),
    lock,
    lockCause: lockCause(lock),
    tags: parseTags(textIn(row["tags"])),
    // Of a container that is limited to a part of a CPU it is that part.
    cores: wholeIn(row["maxcpu"], Math.ceil),
    memoryBytes: numberIn(row["maxmem"]),
    diskBytes: wholeIn(row["maxdisk"]),
    cpuUsage: numberIn(row["cpu"]),
    memoryUsedBytes: numberIn(row["mem"]),
    uptimeSeconds: numberIn(row["uptime"]),
    highlyAvailable: isHighlyAvailable(row["hastate"]),
  };
}

/** Contents come in any order; a storage without a state is there if it has a size. */
function storage(row: Row, source: string): ObservedStorage {
  const status = textIn(row["status"]);
  const [totalBytes, usedBytes] = [wholeIn(row["maxdisk"]), wholeIn(row["disk"])];
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
  const value = textIn(row[key]);
  if (value === null) throw senseless(source, `a row without ${key} (${idOf(row)})`);
  return value;
}

/** As the platform itself limits them. */
const isVmid = (vmid: number): boolean => Number.isInteger(vmid) && vmid >= 100 && vmid <= 999_999_999;

const idOf = (row: Row): string => textIn(row["id"]) ?? "without id";
