// Describes everything on a simulated host in one answer.
import type { Platform } from "../platform.js";
import type { Guest } from "../state/guest.js";
import { isTemplate } from "../state/guest.js";
import type { SimulatedNode } from "../state/node.js";
import type { Volume } from "../state/storage.js";
import { volumeId } from "../state/storage.js";
import type { Task } from "../state/task.js";
import { listRows } from "./inspect.js";
import type { Forward } from "./orders.js";

const mib = 1024 ** 2;
const tasksShown = 200;

/** What the control address knows besides the platform. */
interface Surroundings {
  /** Packet filter of each node. */
  forwards: ReadonlyMap<string, readonly Forward[]>;
  /** Requests that have arrived on the Proxmox VE port. */
  requests: number;
}

/** The answer of `GET /state`. */
export async function describeState(platform: Platform, surroundings: Surroundings): Promise<Record<string, unknown>> {
  const { state } = platform;
  const rows = await listRows(platform, "/nodes");
  const nodes = [...state.nodes.values()];
  return {
    name: platform.name,
    release: platform.release,
    speed: { timeFactor: platform.clock.timeFactor, bytesPerSecond: platform.tasks.bytesPerSecond },
    nodes: nodes.map((node) => describeNode(node, rows.find((row) => row.node === node.name) ?? {})),
    guests: [...state.guests.values()].map(describeGuest),
    storages: (await Promise.all(nodes.map((node) => describeStorages(platform, node)))).flat(),
    backups: state.volumes.flatMap((volume) => (volume.backup === undefined ? [] : [describeBackup(volume)])),
    tokens: describeTokens(platform),
    tasks: [...platform.tasks.active(), ...platform.tasks.archive()].slice(0, tasksShown).map(describeTask),
    forwards: [...surroundings.forwards].flatMap(([node, list]) => list.map((forward) => ({ node, ...forward }))),
    requests: surroundings.requests,
  };
}

function describeNode(node: SimulatedNode, row: Record<string, unknown>): Record<string, unknown> {
  const used = typeof row.mem === "number" ? row.mem : 0;
  return {
    name: node.name,
    online: node.online,
    address: node.address,
    version: node.version,
    cpu: typeof row.cpu === "number" ? row.cpu : 0,
    cores: node.cpus,
    memTotalMb: Math.round(node.memoryBytes / mib),
    memUsedMb: Math.round(used / mib),
    fingerprint: node.fingerprint,
  };
}

/** `config` has the values in force, `pending` those that wait for the next start. */
export function describeGuest(guest: Guest): Record<string, unknown> {
  const { config, rawLines } = guest;
  return {
    type: guest.type,
    vmid: guest.vmid,
    node: guest.node,
    name: config.name ?? config.hostname ?? "",
    status: guest.runtime === null ? "stopped" : "running",
    qmpstatus: guest.runtime?.qmpstatus ?? "stopped",
    lock: config.lock ?? null,
    tags: (config.tags ?? "").split(";").filter((tag) => tag !== ""),
    onboot: config.onboot === "1",
    template: isTemplate(guest),
    config: { ...config, ...(rawLines.length === 0 ? {} : { lxc: rawLines }) },
    pending: { ...guest.pending },
    pendingDeletes: [...guest.pendingDeletes],
    snapshots: [...guest.snapshots.keys()],
    snapshotsWithMemory: [...guest.snapshots].flatMap(([name, { memory }]) => (memory === null ? [] : [name])),
    firewall: guest.firewall,
    hastate: guest.hastate,
  };
}

function describeBackup({ node, vmid, ctime, size, backup, ...volume }: Volume): Record<string, unknown> {
  const { type, notes = null, protected: isProtected } = backup ?? {};
  const volid = volumeId({ node, vmid, ctime, size, ...volume });
  return { volid, storage: volume.storage, node, type, vmid, ctime, size, notes, protected: isProtected === true };
}

async function describeStorages(platform: Platform, node: SimulatedNode): Promise<Record<string, unknown>[]> {
  if (!node.online) return [];
  const rows = await listRows(platform, `/nodes/${node.name}/storage`);
  return rows.map((row) => ({ node: node.name, ...row }));
}

function describeTokens(platform: Platform): Record<string, unknown>[] {
  const users = [...platform.state.access.users.values()];
  return users.flatMap(({ userid, tokens }) =>
    [...tokens].map(([tokenid, { expire, privilegeSeparated, comment }]) => ({
      userid,
      tokenid,
      expire,
      privsep: privilegeSeparated,
      comment,
    })),
  );
}

function describeTask(task: Task): Record<string, unknown> {
  const { upid, type, id, node, user, exitstatus } = task;
  return { upid, type, id, node, user, status: exitstatus === null ? "running" : "stopped", exitstatus };
}
