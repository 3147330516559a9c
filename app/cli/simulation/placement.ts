// `drover simulate placement`: the placement of one guest on a described world, by the rules that the service uses.
import { EVERY_HOST, scopeOf } from "../../../src/core/access/scope.js";
import { GuestType } from "../../../src/core/enums.js";
import { EVERY_NODE, type PlacementContext } from "../../../src/core/placement/context.js";
import { nodeSet } from "../../../src/core/placement/nodeSet.js";
import { place, type DroppedNode, type RankedNode } from "../../../src/core/placement/place.js";
import type { PlacementRequest } from "../../../src/core/placement/snapshot.js";
import { accepted, refused, type Checked, type Problem } from "../../../src/core/problem.js";
import { JsonReader, POSITIVE_COUNT } from "./jsonReader.js";
import { readSettings } from "./settings.js";
import { readSnapshot } from "./snapshot.js";

/** The placement result as REST v1 writes it. */
interface SimulatedPlacement {
  readonly best: object | null;
  readonly ranked: readonly object[];
  readonly dropped: readonly object[];
}

const isHostId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

/** @returns the placement; refused, with every bad field named by its path, when the input cannot be understood. */
export function simulatePlacement(json: unknown): Checked<SimulatedPlacement> {
  const problems: Problem[] = [];
  const input = new JsonReader(json, "", problems);
  const snapshot = readSnapshot(input);
  const request = readRequest(input.object("request"));
  const context = { ...readContext(input.object("context")), settings: readSettings(input).placement };
  if (problems.length > 0) return refused(...problems);
  const { best, ranked, dropped } = place(snapshot, request, context);
  return accepted({ best: best && rankedRow(best), ranked: ranked.map(rankedRow), dropped: dropped.map(droppedRow) });
}

const readRequest = (request: JsonReader): PlacementRequest => ({
  type: request.oneOf("type", [GuestType.QEMU, GuestType.LXC]),
  memoryMb: request.number("memory_mb", POSITIVE_COUNT),
  cores: request.number("cores", POSITIVE_COUNT),
  diskGb: request.number("disk_gb", POSITIVE_COUNT),
});

function readContext(context: JsonReader): PlacementContext {
  return {
    ...EVERY_NODE,
    scope: context.has("scope") ? scopeOf(context.listOf("scope", isHostId, "host ids")) : EVERY_HOST,
    hostId: context.numberOrNull("host_id", POSITIVE_COUNT),
    assignedNodes: context.has("reseller_nodes") ? nodeSet(context.list("reseller_nodes", readNodeName)) : null,
  };
}

const readNodeName = (name: JsonReader) => ({
  hostId: name.number("host_id", POSITIVE_COUNT),
  node: name.text("node"),
});

const rankedRow = (row: RankedNode) => ({
  host_id: row.hostId,
  node: row.node,
  storage: row.storage,
  score: row.score,
  ram_score: row.ramScore,
  cpu_score: row.cpuScore,
  storage_score: row.storageScore,
  guest_count: row.guestCount,
  explanation: row.explanation,
});

const droppedRow = ({ hostId, node, code, reason }: DroppedNode) => ({ host_id: hostId, node, code, reason });
