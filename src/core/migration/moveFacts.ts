// Everything that the checks of a move look at, gathered once.
import type { IpPlanProblem } from "../addressing/ipPlan.js";
import type { GuestStatus, GuestType, MigrationMode } from "../enums.js";
import type { AgentState } from "../placement/snapshot.js";
import type { Attachments } from "./attachments.js";
import type { CardMove } from "./bridgeMtu.js";
import type { CheckRule } from "./check.js";
import type { GuestTraits } from "./guestTraits.js";
import type { HardwareFit } from "./hardware.js";
import type { MappingChoice, Shortfall } from "./mapping.js";
import type { NodeVersions } from "../inventory/tunnel.js";

/** One end of a move. */
export interface MoveEnd extends NodeVersions {
  readonly hostId: number;
  readonly node: string;
  /** Of its processors, such as `amd64` or `arm64`; null: not known. */
  readonly architecture: string | null;
  readonly agent: AgentState | null;
  /** Whether its host can change anything: a cluster's minority cannot. */
  readonly quorate: boolean;
}

export interface MoveTarget extends MoveEnd {
  readonly online: boolean;
  /** Where the source's node is to reach it; null: not known. */
  readonly address: string | null;
  /** Maintenance of the host or of the node. */
  readonly maintenance: boolean;
  readonly natConfigured: boolean;
  /** MiB of RAM that is neither used nor reserved; null: not known. */
  readonly freeMemoryMb: number | null;
  /** MiB of RAM that the node has at all. */
  readonly memoryMb: number;
  readonly rights: TargetRights;
}

/** The target's report of its connection's rights. */
export interface TargetRights {
  /** Display name of the host. */
  readonly host: string;
  /** Rights that the move uses and the connection lacks, in the platform's words; null: none. */
  readonly missing: string | null;
  /** What the target said when it last refused a temporary token; null: nothing, or it was made or forgotten since, or a job asks itself. */
  readonly tokenRefusal: TokenRefusal | null;
  /** Rights that the connection lacks to limit the temporary token; null: none. */
  readonly missingToLimit: string | null;
  /** Whether the operator lets the host's moves use tokens that are not limited. */
  readonly unrestrictedAllowed: boolean;
  /** Why the token gets the right to change the target's system; null: it does not get it. */
  readonly modification: Modification | null;
  /** The right that the connection lacks to give the guest tags that the target may have registered; null: none. */
  readonly missingForTags: string | null;
}

/** A temporary token that the target has refused. */
export interface TokenRefusal {
  /** The platform's own. */
  readonly words: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Why the guest takes the right to change the target's system. */
interface Modification {
  /** What of the guest it is, such as `is a privileged container`. */
  readonly reason: string;
  /** The right, in the platform's words. */
  readonly right: string;
}

/** Whether the source node reaches the target's API port: tested by its agent. */
export type Reachability = { readonly reachable: true } | { readonly reachable: false; readonly error: string };

/** The storage that disks leave and the one that they go to, with Proxmox VE's types: `dir`, `lvmthin`, `zfspool`, … */
export interface StoragePair {
  readonly source: string;
  readonly sourceType: string;
  readonly target: string;
  readonly targetType: string;
  /** Whether a disk goes this way that is copied as it lies: all but those that a machine uses while it moves live. */
  readonly copies: boolean;
}

export interface MoveFacts {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly agentStaleSeconds: number;
  readonly type: GuestType;
  readonly guest: GuestTraits;
  readonly status: GuestStatus;
  readonly mode: MigrationMode;
  /** Configured RAM in MiB. */
  readonly memoryMb: number;
  readonly source: MoveEnd;
  readonly target: MoveTarget;
  readonly reachability: Reachability;
  /** How many port forwards move; those given up do not. */
  readonly movingForwards: number;
  readonly targetVmid: number;
  readonly targetVmidTaken: boolean;
  readonly storages: readonly MappingChoice[];
  /** The mapped storages, with their types. */
  readonly storagePairs: readonly StoragePair[];
  readonly bridges: readonly MappingChoice[];
  /** The cards whose bridge is mapped, with what both bridges carry. */
  readonly cards: readonly CardMove[];
  /** Cards with VLANs that go to a bridge that knows none, such as `net0 to vmbr1`. */
  readonly vlanCards: readonly string[];
  /** Storage for the states of the machine, which no mapping renames; null: none is stated. */
  readonly stateStorage: string | null;
  /** Storage for the states of the machine that the target does not have; null: it has it, or none is stated. */
  readonly missingStateStorage: string | null;
  readonly shortfalls: readonly Shortfall[];
  /** Volumes on the storages of the target that have the VMID, and are not what an earlier attempt left; null: not known. */
  readonly volumesLeft: readonly string[] | null;
  readonly ipProblem: IpPlanProblem | null;
  readonly attachments: Attachments;
  readonly hardware: HardwareFit;
}

/** A named check on a whole move. */
export type MoveCheck = CheckRule<MoveFacts>;
