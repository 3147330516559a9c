// A creation of a guest, before and after its place is reserved.
import type { GuestType } from "../core/enums.js";
import type { Context } from "../context/context.js";
import type { RankedNode } from "../core/placement/place.js";
import type { PlacementRequest } from "../core/placement/snapshot.js";
import type { CreateGuestFacts } from "./createGuestFacts.js";

/** A creation that was accepted. */
export interface QueuedGuest {
  readonly queued: true;
  readonly jobId: number;
  readonly vmid: number;
  readonly placement: Pick<RankedNode, "hostId" | "node" | "storage" | "explanation">;
}

/** Everything a creation was checked for and resolved to; what is left is to find and reserve its place. */
export interface AcceptedGuest {
  readonly type: GuestType;
  readonly name: string;
  /** What it takes on its node: all disks that will be made. */
  readonly size: PlacementRequest;
  /** Of that the system disk, as it was asked for. The others are the template's; a container has none. */
  readonly systemDiskGb: number;
  /** Null: any host in scope. */
  readonly hostId: number | null;
  /** Null: placement chooses. */
  readonly node: string | null;
  readonly vmid: number | null;
  readonly volid: string | null;
  readonly ownerId: number | null;
  readonly planId: number | null;
  readonly password: string | null;
  readonly sshKeys: readonly string[];
  readonly facts: CreateGuestFacts;
}

/** A guest that is to be reserved on the host. */
export interface ReservationRequest {
  readonly context: Context;
  readonly guest: AcceptedGuest;
  /** Whether a host without room, or without the wanted VMID, is a refusal; else another is chosen. */
  readonly last: boolean;
}

/** A guest with the place that it was given. */
export interface PlacedCreation extends ReservationRequest {
  readonly vmid: number;
  readonly best: RankedNode;
}
