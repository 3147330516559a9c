// The checks of what the guest needs on the target: its VMID, bridges, RAM and address.
import { GuestStatus, GuestType, MigrationMode, Severity } from "../enums.js";
import { mib } from "../units.js";
import { describeUnmapped } from "./mapping.js";
import type { MoveCheck, MoveFacts } from "./moveFacts.js";
import { describeMemory, describeUnknownMemory } from "./room.js";

const statusUnknown: MoveCheck = {
  code: "STATUS_UNKNOWN",
  passed: "the guest's status is known",
  finding: ({ status }) => (status === GuestStatus.UNKNOWN ? "whether the guest runs is not known" : null),
};

const targetVmidTaken: MoveCheck = {
  code: "TARGET_VMID_TAKEN",
  passed: "the VMID is free on the target",
  finding: (facts) => (facts.targetVmidTaken ? `VMID ${facts.targetVmid} is taken on the target` : null),
};

const bridgeUnmapped: MoveCheck = {
  code: "BRIDGE_UNMAPPED",
  passed: "every bridge is mapped to one of the target",
  finding: ({ bridges }) => describeUnmapped(bridges),
};

const mtuTooLarge: MoveCheck = {
  code: "MTU_TOO_LARGE",
  passed: "no network card states a larger MTU than its bridge on the target",
  finding: ({ type, cards, ...facts }) => {
    const large = cards.filter(({ mtu, targetMtu }) => type === GuestType.QEMU && mtu !== null && mtu > targetMtu);
    const found = large.map(
      ({ card, mtu, target, targetMtu }) => `${card} states ${mtu}, ${target} carries ${targetMtu}`,
    );
    if (found.length === 0) return unlessUnseen(facts);
    return `the machine would not start on the target: ${found.join(", ")}`;
  },
};

const bridgeMtuSmaller: MoveCheck = {
  code: "BRIDGE_MTU_SMALLER",
  severity: Severity.WARNING,
  passed: "the target's bridges carry frames as large as the source's",
  finding: ({ cards, ...facts }) => {
    const small = cards.filter(({ mtu, sourceMtu, targetMtu }) => targetMtu < (mtu ?? sourceMtu));
    const found = small.map(
      ({ card, mtu, sourceMtu, target, targetMtu }) => `${card} has ${mtu ?? sourceMtu}, ${target} ${targetMtu}`,
    );
    if (found.length === 0) return unlessUnseen(facts);
    return `larger frames would be lost on the target: ${found.join(", ")} bytes`;
  },
};

const bridgeNotVlanAware: MoveCheck = {
  code: "BRIDGE_NOT_VLAN_AWARE",
  severity: Severity.WARNING,
  passed: "the target's bridges know the guest's VLANs, or it has none",
  finding: ({ vlanCards, ...facts }) =>
    vlanCards.length === 0
      ? unlessUnseen(facts)
      : `cards with VLANs go to bridges that are not VLAN aware: ${vlanCards.join(", ")}; they may not come up there`,
};

const stateStorageMissing: MoveCheck = {
  code: "STATE_STORAGE_MISSING",
  severity: Severity.WARNING,
  passed: "the target has the storage for the machine's states, or none is stated",
  finding: ({ missingStateStorage: storage }) =>
    storage === null
      ? null
      : `the target has no storage ${storage}, where the states of the machine go: it cannot be hibernated there`,
};

const notEnoughMemory: MoveCheck = {
  code: "NOT_ENOUGH_MEMORY",
  passed: "the target has the RAM, or the guest is stopped and could be started there",
  finding: ({ mode, memoryMb, target }) => {
    const isSizeKnown = target.freeMemoryMb !== null || target.memoryMb > 0;
    if (!isSizeKnown) return target.online ? describeUnknownMemory(target.node) : undefined;
    if (memoryMb > target.memoryMb) {
      return `the guest needs ${mib(memoryMb)} of RAM, ${target.node} has ${mib(target.memoryMb)} in all`;
    }
    if (mode === MigrationMode.OFFLINE) return null;
    if (target.freeMemoryMb === null) return target.online ? describeUnknownMemory(target.node) : undefined;
    if (memoryMb <= target.freeMemoryMb) return null;
    return describeMemory(memoryMb, target.node, target.freeMemoryMb);
  },
};

const ipZoneFull: MoveCheck = {
  code: "IP_ZONE_FULL",
  passed: "the guest keeps its address or gets one on the target",
  finding: ({ ipProblem }) => (ipProblem?.code === "IP_ZONE_FULL" ? ipProblem.message : null),
};

const ipZoneMissing: MoveCheck = {
  code: "IP_ZONE_MISSING",
  passed: "the target has an IP zone where one is needed",
  finding: ({ ipProblem }) => (ipProblem?.code === "IP_ZONE_MISSING" ? ipProblem.message : null),
};

/** What a bridge carries is not known as long as none is chosen, or its host does not answer. */
const unlessUnseen = ({ bridges, target }: Pick<MoveFacts, "bridges" | "target">): null | undefined =>
  target.online && describeUnmapped(bridges) === null ? null : undefined;

/** Every check of what the guest needs. */
export const RESOURCE_CHECKS: readonly MoveCheck[] = [
  statusUnknown,
  targetVmidTaken,
  bridgeUnmapped,
  mtuTooLarge,
  bridgeMtuSmaller,
  bridgeNotVlanAware,
  stateStorageMissing,
  notEnoughMemory,
  ipZoneFull,
  ipZoneMissing,
];
