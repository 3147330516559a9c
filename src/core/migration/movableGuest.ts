// A guest that is to leave its node: what balancing and evacuation decide on.
import type { GuestType } from "../enums.js";
import { isOlderTunnel } from "../inventory/tunnel.js";
import type { NodeName } from "../placement/nodeSet.js";
import type { NodeState, PlacementRequest } from "../placement/snapshot.js";

export interface MovableGuest {
  readonly hostId: number;
  readonly node: string;
  readonly vmid: number;
  readonly type: GuestType;
  readonly running: boolean;
  /** Configured size. */
  readonly cores: number;
  readonly memoryMb: number;
  readonly diskGb: number;
  /** The storage of all its disks; null: they lie on several, or it is not known. */
  readonly storage: string | null;
  /** What it uses: MiB of RAM, and cores kept busy. */
  readonly memoryUsedMb: number;
  readonly coresUsed: number;
  /** The version of the migration tunnel that its node speaks, for its type. Null or left out: not known. */
  readonly tunnel?: number | null;
  /** Of its node's processors. Null or left out: not known. */
  readonly architecture?: string | null;
  /** Why it would fail the migration pre-flight; null when it would pass. */
  readonly obstacle: string | null;
  /** The targets that fail the pre-flight for it; left out: none is known. */
  readonly refusedBy?: RefusedTargets;
}

/** Where a guest cannot go although it could leave. */
interface RefusedTargets {
  readonly nodes: readonly NodeName[];
  /** What stood against the first of them. */
  readonly reason: string;
}

/** @returns the guest, kept from one more target. */
export const keptFrom = <Guest extends MovableGuest>(guest: Guest, node: NodeName, reason: string): Guest => ({
  ...guest,
  refusedBy: {
    nodes: [...(guest.refusedBy?.nodes ?? []), node],
    reason: guest.refusedBy?.reason ?? reason,
  },
});

/** A guest that could leave, and that one target refuses, is tried on so many in all. */
export const MOST_TARGETS = 3;

/** @returns whether the node is known to fail the pre-flight for the guest. */
export const isRefusedBy = ({ refusedBy }: MovableGuest, { host, name }: NodeState): boolean =>
  refusedBy?.nodes.some(({ hostId, node }) => hostId === host.id && node === name) ?? false;

/** @returns the place that a guest needs on another node: its configured size; no free RAM while it is stopped. */
export const placeFor = ({ running, memoryMb, ...guest }: MovableGuest): PlacementRequest => ({
  type: guest.type,
  memoryMb: running ? memoryMb : 0,
  cores: guest.cores,
  diskGb: guest.diskGb,
  nodeMemoryMb: memoryMb,
  ...(guest.tunnel !== undefined && { tunnel: guest.tunnel }),
  ...(guest.architecture !== undefined && { architecture: guest.architecture }),
});

/** @returns whether the guest can come back to the node that it leaves, as far as is known: the target is no newer. */
export const leadsBack = ({ tunnels }: NodeState, { type, tunnel = null }: PlacementRequest): boolean =>
  !isOlderTunnel(tunnel, tunnels?.[type] ?? null);

/** Orders the smallest first: configured RAM, then disk, then VMID. */
export const bySize = (left: MovableGuest, right: MovableGuest): number =>
  left.memoryMb - right.memoryMb || left.diskGb - right.diskGb || left.vmid - right.vmid;
