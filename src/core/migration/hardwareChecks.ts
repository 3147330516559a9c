// The checks of what a machine is built like: the platform would find out only when it starts, after the copy.
import { Severity } from "../enums.js";
import { inWords } from "./check.js";
import type { MoveCheck } from "./moveFacts.js";

const machineTooNew: MoveCheck = {
  code: "MACHINE_TYPE_TOO_NEW",
  passed: "the target's QEMU knows the guest's machine type",
  finding: ({ hardware, target: { node } }) =>
    inWords(hardware.newerMachine, (machine) => `the machine type ${machine} is newer than those that ${node} knows`),
};

const notEnoughCores: MoveCheck = {
  code: "NOT_ENOUGH_CORES",
  passed: "the machine has no more processors than the target",
  finding: ({ hardware: { processors, targetCores }, target: { node } }) =>
    inWords(
      processors,
      (count) => `the machine has ${count} processors, ${node} has ${targetCores}: it would not start there`,
    ),
};

const cpuModelUnsupported: MoveCheck = {
  code: "CPU_MODEL_UNSUPPORTED",
  passed: "the target's processor has what the guest's CPU model needs",
  finding: ({ hardware, target: { node } }) =>
    inWords(
      hardware.missingFlags,
      ({ model, flags }) => `the CPU model ${model} needs what the processor of ${node} lacks: ${flags.join(", ")}`,
    ),
};

const cpuDiffers: MoveCheck = {
  code: "CPU_DIFFERS",
  severity: Severity.WARNING,
  passed: "the processors are alike, or the guest's CPU model does not depend on them",
  finding: ({ hardware: { otherProcessor }, ...ends }) =>
    inWords(
      otherProcessor,
      ({ model, source, target }) =>
        `the CPU model ${model} is not the same everywhere: ${ends.source.node} has ${source}, ${ends.target.node} ${target}`,
    ),
};

/** Every check of the hardware. */
export const HARDWARE_CHECKS: readonly MoveCheck[] = [machineTooNew, notEnoughCores, cpuModelUnsupported, cpuDiffers];
