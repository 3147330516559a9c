// Describes the move of one guest in a run; where nobody can be asked, the service chooses.
import type { IpPlanning } from "../core/addressing/ipPlan.js";
import type { MoveRequest } from "../migration/moveRequest.js";

/** Where a guest of a run goes, and what the operator chose for all of its guests. */
interface RunMove {
  readonly guestId: number;
  readonly toHostId: number;
  readonly toNode: string;
  readonly ipZoneId: number | null;
  readonly dropPortForwards: boolean;
  /** What was planned for its address together with the guests before it. */
  readonly addressing?: IpPlanning | undefined;
}

export const runRequest = ({
  guestId,
  toHostId,
  toNode,
  ipZoneId,
  dropPortForwards,
  addressing,
}: RunMove): MoveRequest => ({
  guestId,
  targetHostId: toHostId,
  targetNode: toNode,
  targetVmid: null,
  storages: new Map(),
  bridges: new Map(),
  ipZoneId,
  dropPortForwards,
  bandwidthMib: null,
  unattended: true,
  ...(addressing === undefined ? {} : { addressing }),
});
