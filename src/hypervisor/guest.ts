// One guest on a host: where it is, how it is configured, and what is asked for to make, change or move one.
import type { GuestStatus, GuestType, MigrationMode } from "../core/enums.js";
import type { TokenName } from "./access.js";
import type { NodeEndpoint } from "./observed.js";

/** One guest on one node of the host. */
export interface GuestAddress {
  readonly type: GuestType;
  readonly node: string;
  readonly vmid: number;
}

/** Where a machine's process stands in a live move that has not ended. */
export const Handover = {
  /** It waits for the machine's state. */
  AWAITED: "awaited",
  /** It has given the state away, and waits to be ended. */
  GIVEN: "given",
} as const;
export type Handover = (typeof Handover)[keyof typeof Handover];

/** The state of a guest, as its node reports it. */
export interface GuestState {
  readonly status: GuestStatus;
  readonly lock: string | null;
  /** Null: it runs, rests or is stopped by itself. */
  readonly handover: Handover | null;
  /** Machine type of a machine that runs, such as `pc-q35-9.2+pve1`; null: unknown. */
  readonly machine: string | null;
}

/** What goes with a guest that is removed. */
export interface Removal {
  /**
   * A guest will be created again under the VMID: what the host's backup jobs say of it stays, and one of high availability or
   * replication is refused. Left out: all of it goes.
   */
  readonly isReplaced?: boolean;
  /**
   * Every volume on the node's storages that has the guest's VMID goes too, also those that no configuration names: only for who
   * has looked at each of them. Left out: they stay.
   */
  readonly withUnreferenced?: boolean;
}

/** The order to move a guest to a node of another host. The original stays. */
export interface RemoteMigration {
  readonly guest: GuestAddress;
  readonly mode: MigrationMode;
  /** Exactly the target node. */
  readonly endpoint: NodeEndpoint;
  /** Token of the target with which the source's node writes there. */
  readonly token: TokenName;
  readonly secret: string;
  /** Name on the target by name on the source. */
  readonly storages: readonly { readonly source: string; readonly target: string }[];
  readonly bridges: readonly { readonly source: string; readonly target: string }[];
  readonly targetVmid: number;
  /** MiB/s; null: as the platform is set. */
  readonly bandwidthMib: number | null;
}
