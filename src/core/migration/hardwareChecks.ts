// The checks of what a machine is built like: the platform would find out only when it starts, after the copy.
import { Severity } from "../enums.js";
import type { MoveCheck } from "./moveFacts.js";

const machineTooNew: MoveCheck = {
  code: "MACHINE_TYPE_TOO_NEW",
  passed: "the target's QEMU knows the guest's machine type, or was not asked",
  finding: ({ hardware: { newerMachine }, target: { node } }) =>
    newerMachine === null ? null : `the machine type ${newerMachine} is newer than those that ${node} knows`,
};

const notEnoughCores: MoveCheck = {
  code: "NOT_ENOUGH_CORES",
  passed: "the machine has no more processors than the target",
  finding: ({ hardware: { processors, targetCores }, target: { node } }) =>
    processors === null
      ? null
      : `the machine has ${processors} processors, ${node} has ${targetCores}: it would not start there`,
};

const cpuModelUnsupported: MoveCheck = {
  code: "CPU_MODEL_UNSUPPORTED",
  passed: "the target's processor has what the guest's CPU model needs",
  finding: ({ hardware: { missingFlags }, target: { node } }) =>
    missingFlags === null
      ? null
      : `the CPU model ${missingFlags.model} needs what the processor of ${node} lacks: ${missingFlags.flags.join(", ")}`,
};

const cpuDiffers: MoveCheck = {
  code: "CPU_DIFFERS",
  severity: Severity.WARNING,
  passed: "the processors are alike, or the guest's CPU model does not depend on them",
  finding: ({ hardware: { otherProcessor }, source, target }) =>
    otherProcessor === null
      ? null
      : `the CPU model ${otherProcessor.model} is not the same everywhere: ${source.node} has ${otherProcessor.source}, ${target.node} ${otherProcessor.target}`,
};

/** Every check of the hardware. */
export const HARDWARE_CHECKS: readonly MoveCheck[] = [machineTooNew, notEnoughCores, cpuModelUnsupported, cpuDiffers];
