// What a move is asked to do, by an operator or by an unattended run.
import type { IpPlan, IpPlanning } from "../core/addressing/ipPlan.js";

/** Names on the target by names on the source. */
type NameMap = ReadonlyMap<string, string>;

export interface MoveRequest {
  readonly guestId: number;
  readonly targetHostId: number;
  readonly targetNode: string;
  /** Null: the guest's own VMID if it is free there, else the next free one. */
  readonly targetVmid: number | null;
  readonly storages: NameMap;
  readonly bridges: NameMap;
  /** The zone for a new address; null: the first by name that has one. */
  readonly ipZoneId: number | null;
  readonly dropPortForwards: boolean;
  /** MiB/s; null: the setting. */
  readonly bandwidthMib: number | null;
  /** What was planned for its address together with the guests before it; left out: it is planned alone. */
  readonly addressing?: IpPlanning;
  /** Whether names without an equal take what fits best, because nobody can be asked: in evacuations and balance runs. */
  readonly unattended: boolean;
}

/** The job that carries the request out: what it holds itself is no obstacle to it. */
export interface MoveJob {
  readonly id: number;
  readonly ipPlan: IpPlan;
}
