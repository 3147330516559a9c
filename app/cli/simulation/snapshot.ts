// Reads the hosts and nodes of a simulation's JSON into the snapshot that placement and balancing decide on.
import type { AgentState, HostState, NodeState, Snapshot, StorageState } from "../../../src/core/placement/snapshot.js";
import {
  eachFact,
  HOST_FACTS,
  NODE_FACTS,
  usual,
  type Facts,
  type ValuesOf,
} from "../../../src/core/placement/facts.js";
import { GIB } from "../../../src/core/units.js";
import { ANY_AMOUNT, ANY_NUMBER, COUNT, POSITIVE_COUNT, type JsonReader } from "./jsonReader.js";

/** Ages in the input count back from here. */
const NOW = 0;

const isText = (value: unknown): value is string => typeof value === "string";

/** @returns the snapshot; nodes without a host of the input, and nodes given twice, are refused. */
export function readSnapshot(input: JsonReader): Snapshot {
  for (const list of ["hosts", "nodes"]) input.require(list);
  const hosts = new Map(input.list("hosts", readHost).map((host) => [host.id, host]));
  const seen = new Set<string>();
  const nodes = input.list("nodes", (item) => {
    const node = readNode(item, hosts);
    const name = `${node.host.id}/${node.name}`;
    if (seen.has(name)) item.refuse("node", `${node.name} is given twice for host ${node.host.id}`);
    seen.add(name);
    return node;
  });
  return { now: NOW, nodes };
}

function readHost(host: JsonReader): HostState {
  const id = host.number("id", POSITIVE_COUNT);
  return {
    id,
    name: host.has("name") ? host.text("name") : `${id}`,
    ...readFacts(host, HOST_FACTS),
  };
}

function readNode(node: JsonReader, hosts: ReadonlyMap<number, HostState>): NodeState {
  const hostId = node.number("host_id", POSITIVE_COUNT);
  const host = hosts.get(hostId);
  if (!host) node.refuse("host_id", `${hostId} is no host of the input`);
  return {
    host: host ?? { id: hostId, name: "", ...usual(HOST_FACTS) },
    name: node.text("node"),
    ...readFacts(node, NODE_FACTS),
    agent: node.has("agent") ? readAgent(node.object("agent")) : null,
    inventoryAt: NOW,
    memoryReservedMb: 0,
    storages: node.list("storages", readStorage),
  };
}

const RANGES = { count: COUNT, "positive count": POSITIVE_COUNT, amount: ANY_AMOUNT };

/** The facts of a host or node, each as its table says. */
const readFacts = <Table extends Facts>(item: JsonReader, table: Table): ValuesOf<Table> =>
  eachFact(table, ({ given, simulated, usual: fallback, isRequired }, fact) => {
    const name = simulated ?? fact;
    if (given === "flag") return item.flag(name, fallback === true);
    if (given === "number or nothing") return item.numberOrNull(name, ANY_NUMBER);
    return item.number(name, RANGES[given], isRequired ? undefined : Number(fallback));
  });

function readAgent(agent: JsonReader): AgentState {
  const missing = agent.flag("missing", false);
  return {
    healthy: agent.flag("healthy", true),
    current: agent.flag("current", true),
    lastSeenAt: missing ? null : NOW - 1000 * agent.number("last_seen_s", ANY_AMOUNT),
  };
}

const readStorage = (storage: JsonReader): StorageState => ({
  name: storage.text("name"),
  shared: false,
  active: storage.flag("active", true),
  content: storage.listOf("content", isText, "content types"),
  totalBytes: storage.number("total_gb", ANY_AMOUNT) * GIB,
  freeBytes: storage.number("free_gb", ANY_AMOUNT) * GIB,
  reservedBytes: 0,
});
