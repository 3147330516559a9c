// Reserves a node's room in a snapshot for a guest that is still to come, so that the next placement counts it as taken.
import { requestedBytes } from "./capacity.js";
import type { RankedNode } from "./place.js";
import type { NodeState, PlacementRequest, Snapshot, StorageState } from "./snapshot.js";

/**
 * @param room negative where a reservation is withdrawn
 * @returns the snapshot as it is once the place is reserved: the disk counts wherever its storage is shared.
 */
export function reservePlace(
  { now, nodes }: Snapshot,
  place: Pick<RankedNode, "hostId" | "node" | "storage">,
  room: Pick<PlacementRequest, "memoryMb" | "diskGb">,
): Snapshot {
  const bytes = requestedBytes(room);
  const reserved = (node: NodeState): NodeState => {
    if (node.host.id !== place.hostId) return node;
    const isPlace = node.name === place.node;
    const hasDisk = ({ name, shared }: StorageState): boolean => name === place.storage && (isPlace || shared);
    return {
      ...node,
      memoryReservedMb: node.memoryReservedMb + (isPlace ? room.memoryMb : 0),
      storages: node.storages.map((one) => (hasDisk(one) ? { ...one, reservedBytes: one.reservedBytes + bytes } : one)),
    };
  };
  return { now, nodes: nodes.map(reserved) };
}
