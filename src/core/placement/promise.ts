// Promises a node's room to a guest that is still to come, so that the next placement counts it as taken.
import { requestedBytes } from "./capacity.js";
import type { NodeState, PlacementRequest, StorageState } from "./snapshot.js";

/** @returns the node with the guest's RAM and disk promised; the disk on one of the node's storages. */
export const promiseRoom = (node: NodeState, storage: StorageState, request: PlacementRequest): NodeState => ({
  ...node,
  memoryReservedMb: node.memoryReservedMb + request.memoryMb,
  guestCount: node.guestCount + 1,
  storages: node.storages.map((one) =>
    one === storage ? { ...one, reservedBytes: one.reservedBytes + requestedBytes(request) } : one,
  ),
});
