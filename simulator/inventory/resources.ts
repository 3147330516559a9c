// Answers the resource list of the whole cluster and the next free VMID.
import type { ApiAnswer } from "../api.js";
import { failure, parameterError } from "../api.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { Guest } from "../state/guest.js";
import { isTemplate } from "../state/guest.js";
import type { StorageDefinition } from "../state/storage.js";
import { isOnNode, spaceOf } from "../storage/storages.js";
import { atLeast } from "../version.js";
import { guestDiskBytes, guestMemoryBytes, guestProcessors } from "./capacity.js";
import { guestCpu, guestCounters } from "./load.js";
import { nodeRow } from "./nodes.js";

type Row = Record<string, unknown>;

const broadcastMs = 10_000;
const lowestVmid = 100;
const highestVmid = 1_000_000;

/** `GET /cluster/resources`, filtered by type and by what the caller may see. */
export function resources(call: Call): ApiAnswer {
  const type = call.parameters.optional("type");
  const wants = (name: string): boolean => type === undefined || type === name;
  return answer([
    ...(wants("pool") ? poolRows(call) : []),
    ...(wants("vm") ? guestRows(call) : []),
    ...(wants("node")
      ? [...call.platform.state.nodes.values()].map((node) => ({ ...nodeRow(call, node), "cgroup-mode": 2 }))
      : []),
    ...(wants("storage") ? storageRows(call) : []),
    ...zoneRows(call, type),
  ]);
}

function poolRows(call: Call): Row[] {
  const { state, permissions } = call.platform;
  return [...state.access.pools.keys()]
    .filter((pool) => permissions.has(call.identity.label, `/pool/${pool}`, ["Pool.Audit"]))
    .map((pool) => ({ id: `/pool/${pool}`, pool, type: "pool" }));
}

function guestRows(call: Call): Row[] {
  const { state, permissions } = call.platform;
  return [...state.guests.values()]
    .filter((guest) => permissions.has(call.identity.label, `/vms/${guest.vmid}`, ["VM.Audit"]))
    .toSorted((a, b) => a.vmid - b.vmid)
    .map((guest) => guestRow(call, guest));
}

function guestRow(call: Call, guest: Guest): Row {
  const { state, permissions } = call.platform;
  const { lock, tags } = guest.config;
  const pool = [...state.access.pools.values()].find((candidate) => candidate.vmids.has(guest.vmid));
  return {
    ...guestStatistics(call, guest),
    ...(lock === undefined ? {} : { lock }),
    ...(tags === undefined ? {} : { tags }),
    ...(pool !== undefined && permissions.has(call.identity.label, `/pool/${pool.poolid}`, ["Pool.Audit"])
      ? { pool: pool.poolid }
      : {}),
    ...(guest.hastate === null ? {} : { hastate: guest.hastate }),
  };
}

/** Figures come from the nodes' broadcasts: a new guest has none yet, and one on a node that is down has old ones. */
export function guestStatistics(call: Call, guest: Guest): Row {
  const { state, clock } = call.platform;
  const { type, vmid, node } = guest;
  const row: Row = { id: `${type}/${vmid}`, type, vmid, node, status: "unknown" };
  const known = clock.passedSince(guest.createdAtMs) >= broadcastMs;
  const online = state.nodes.get(node)?.online === true;
  return known && online ? { ...row, ...guestFigures(call, guest) } : row;
}

function guestFigures(call: Call, guest: Guest): Row {
  const { release, clock, state } = call.platform;
  const counters = guestCounters(guest, clock.now());
  const { runtime } = guest;
  return {
    name:
      guest.config.name ?? guest.config.hostname ?? (guest.type === "qemu" ? `VM ${guest.vmid}` : `CT${guest.vmid}`),
    // The broadcasts carry QEMU's own word: "paused", "inmigrate".
    status: runtime?.qmpstatus ?? "stopped",
    template: isTemplate(guest) ? 1 : 0,
    maxcpu: guestProcessors(guest, state.nodes.get(guest.node)),
    cpu: guestCpu(guest, clock.seconds()),
    maxmem: guestMemoryBytes(guest),
    mem: runtime?.memoryBytes ?? 0,
    maxdisk: guestDiskBytes(release, guest),
    disk: 0,
    netin: counters.netin,
    netout: counters.netout,
    diskread: counters.diskread,
    diskwrite: counters.diskwrite,
    uptime: runtime === null ? 0 : Math.floor((clock.now() - runtime.startedAtMs) / 1000),
  };
}

function storageRows(call: Call): Row[] {
  const { state, permissions } = call.platform;
  return [...state.nodes.values()].flatMap((node) =>
    [...state.storages.values()]
      .filter((storage) => storage.enabled && isOnNode(storage, node.name))
      .filter((storage) => permissions.hasAny(call.identity.label, `/storage/${storage.name}`, ["Datastore.Audit"]))
      .map((storage) => storageStatistics(call, storage, node)),
  );
}

/** A storage as one node has it. */
export function storageStatistics(
  call: Call,
  storage: StorageDefinition,
  node: { name: string; online: boolean },
): Row {
  const space = spaceOf(call.platform.state, storage, node.name);
  const figures = node.online ? { status: "available", maxdisk: space.total, disk: space.used } : { status: "unknown" };
  return {
    id: `storage/${node.name}/${storage.name}`,
    type: "storage",
    storage: storage.name,
    node: node.name,
    plugintype: storage.type,
    content: storage.content.join(","),
    shared: storage.shared ? 1 : 0,
    ...figures,
  };
}

/** The zone that stands for the plain bridges of each node; 9.2 has it among what no type asks for. */
function zoneRows(call: Call, type: string | undefined): Row[] {
  const { state, permissions, release } = call.platform;
  const isNetwork = atLeast(release, "9.2");
  if (!atLeast(release, "8.4") || (type !== undefined && (isNetwork || type !== "sdn"))) return [];
  if (!permissions.has(call.identity.label, "/sdn/zones/localnetwork", ["SDN.Audit"])) return [];
  return [...state.nodes.keys()].map((node) =>
    isNetwork
      ? {
          id: `network/${node}/zone/localnetwork`,
          type: "network",
          "network-type": "zone",
          network: "localnetwork",
          node,
          status: "ok",
        }
      : { id: `sdn/${node}/localnetwork`, type: "sdn", sdn: "localnetwork", node, status: "ok" },
  );
}

/** `GET /cluster/nextid`: text in either form. Every guest counts, whatever the caller may see; a VMID that is asked about may be out of the range. */
export function nextId(call: Call): ApiAnswer {
  const { guests, nextId: range } = call.platform.state;
  const wanted = call.parameters.optional("vmid");
  if (wanted !== undefined) {
    if (guests.has(Number(wanted))) throw parameterError({ vmid: `VM ${wanted} already exists` });
    return answer(wanted);
  }
  const { lower = lowestVmid, upper = highestVmid } = range ?? {};
  for (let vmid = lower; vmid < upper; vmid += 1) if (!guests.has(vmid)) return answer(String(vmid));
  throw failure(`unable to get any free VMID in range [${lower}, ${upper}]`);
}
