// Freezes a planned move into the input of its job, so that later changes do not affect it.
import type { IpPlan } from "../core/addressing/ipPlan.js";
import { MigrationMode } from "../core/enums.js";
import type { MappingChoice } from "../core/migration/mapping.js";
import type { FrozenMigration } from "../job/migrationInput.js";
import type { PlannedMove } from "./plan.js";

/** What is known once the move is on record. */
interface Recorded {
  readonly migrationId: number;
  readonly ipPlan: IpPlan;
}

export function freezeMove({ plan, move, request }: PlannedMove, { migrationId, ipPlan }: Recorded): FrozenMigration {
  const { guest, source, records, facts, diskBytes } = move;
  const { targetHostId: hostId, targetNode: node, targetVmid: vmid } = plan;
  return {
    migrationId,
    guestId: guest.id,
    type: guest.type,
    name: guest.name,
    source: { hostId: guest.hostId, nodeId: records.sourceNodeId, node: source.guest.node, vmid: guest.vmid },
    target: { hostId, nodeId: records.target.nodeId, node, vmid },
    vmidAsked: request.targetVmid !== null,
    mode: plan.mode,
    bytesTotal: plan.summary.bytesToCopy,
    expectedSeconds: plan.summary.expectedSeconds,
    transferSeconds: plan.summary.transferSeconds,
    storages: chosen(plan.storages),
    bridges: chosen(plan.bridges),
    room: {
      memoryMb: plan.mode === MigrationMode.OFFLINE ? 0 : facts.memoryMb,
      storages: [...diskBytes].map(([name, bytes]) => ({ name, bytes })),
    },
    ipPlan,
    tokenModifies: facts.target.rights.modification !== null,
    dropPortForwards: plan.portForwards.length > 0 && plan.portForwards.every(({ dropped }) => dropped),
    portForwards: plan.portForwards.map(({ forwardId, newPublicPort, dropped }) => ({
      forwardId,
      newPublicPort,
      dropped,
    })),
    bandwidthMib: records.bandwidthMib,
  };
}

const chosen = (choices: readonly MappingChoice[]): { source: string; target: string }[] =>
  choices.flatMap(({ source, target }) => (target === null ? [] : [{ source, target }]));
