// Compares what a machine is built like with what the target node can build: its machine type, CPU model and processors.
import { GuestType, MigrationMode } from "../enums.js";

/** A node's processor, as its kernel reports it. */
export interface Processor {
  readonly model: string;
  readonly flags: readonly string[];
}

/** What a machine is built like, by its configuration. */
export interface MachineHardware {
  /** Its machine type, such as `pc-q35-9.0`; null: the newest that there is. */
  readonly machine: string | null;
  /** Its CPU model; null: the usual one. */
  readonly cpuModel: string | null;
  /** Processors in all sockets, plugged in or not. */
  readonly processors: number;
}

/** What the nodes at both ends are made of; null and empty: not known. */
interface NodeHardware {
  readonly source: Processor | null;
  readonly target: Processor | null;
  /** Processors of the target. */
  readonly targetCores: number | null;
  /** Machine types that the target's QEMU knows, such as `pc-q35-9.2`. */
  readonly targetMachines: readonly string[];
}

/** What a machine would miss on the target; null: nothing. Undefined: the data to decide it is missing. */
export interface HardwareFit {
  /** Its machine type, which is newer than those of the target. */
  readonly newerMachine: string | null | undefined;
  /** Processors that it has, if they are more than the target's. */
  readonly processors: number | null | undefined;
  readonly targetCores: number | null;
  /** Its CPU model, and which of that model's abilities the target's processor lacks. */
  readonly missingFlags: { readonly model: string; readonly flags: readonly string[] } | null | undefined;
  /** Its CPU model, and the processors at both ends, if they are not alike in a way that may matter to it. */
  readonly otherProcessor:
    | { readonly model: string; readonly source: string; readonly target: string }
    | null
    | undefined;
}

export const FITS: HardwareFit = {
  newerMachine: null,
  processors: null,
  targetCores: null,
  missingFlags: null,
  otherProcessor: null,
};

/** The abilities of Proxmox VE's own CPU models, as the kernel names them: each has those of the ones before, too. */
const LEVELS: readonly (readonly [model: string, adds: readonly string[]])[] = [
  ["x86-64-v2", ["cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"]],
  ["x86-64-v2-AES", ["aes"]],
  ["x86-64-v3", ["abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"]],
  ["x86-64-v4", ["avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"]],
];

/** Models that are the same on processors of every maker: `LEVELS` has the requirements of the levels among them. */
const PLAIN = /^(?:kvm32|kvm64|qemu32|qemu64|pentium\d?|486|x86-64-v2.*|x86-64-v3|x86-64-v4)$/;
/** The node's own processor. */
const OWN = /^(?:host|max)$/;
/** What a machine without a model has. */
const USUAL = "kvm64";

export interface HardwareQuestion {
  readonly type: GuestType;
  readonly mode: MigrationMode;
  readonly hardware: MachineHardware;
  /** The machine type that it runs with; null: not known, or it does not run. */
  readonly runningMachine: string | null;
  readonly nodes: NodeHardware;
}

/** @returns what the machine would miss on the target; a container misses nothing. */
export function hardwareFit({ type, mode, hardware, runningMachine, nodes }: HardwareQuestion): HardwareFit {
  if (type === GuestType.LXC) return FITS;
  const { machine: stated, processors } = hardware;
  const model = hardware.cpuModel ?? USUAL;
  const { targetCores, targetMachines } = nodes;
  const isLive = mode === MigrationMode.LIVE;
  return {
    // A machine that runs has a version, also when its configuration states none.
    newerMachine: newerMachine(isLive ? (runningMachine ?? stated) : stated, targetMachines, isLive),
    processors: tooMany(processors, targetCores),
    targetCores: nodes.targetCores,
    missingFlags: missingFlags(model, nodes.target),
    otherProcessor: otherProcessor(model, mode, nodes),
  };
}

const VERSIONED = /^(pc-[a-z0-9]+)-(\d+)\.(\d+)/;

function tooMany(processors: number, targetCores: number | null): number | null | undefined {
  if (targetCores === null || targetCores <= 0) return undefined;
  return processors > targetCores ? processors : null;
}

function newerMachine(
  machine: string | null,
  known: readonly string[],
  hasVersion: boolean,
): HardwareFit["newerMachine"] {
  const wanted = versionOf(machine ?? "");
  if (machine === null || wanted === null) return hasVersion ? undefined : null;
  const ofFamily = known.flatMap((name) => versionOf(name) ?? []).filter(({ family }) => family === wanted.family);
  if (ofFamily.length === 0) return undefined;
  return ofFamily.every(({ version }) => version < wanted.version) ? machine : null;
}

function versionOf(machine: string): { readonly family: string; readonly version: number } | null {
  const [, family, major, minor] = VERSIONED.exec(machine) ?? [];
  return family === undefined ? null : { family, version: Number(major) * 1000 + Number(minor) };
}

function missingFlags(model: string, target: Processor | null): HardwareFit["missingFlags"] {
  const level = LEVELS.findIndex(([name]) => name === model);
  if (level === -1) return null;
  if (target === null || target.flags.length === 0) return undefined;
  const needed = LEVELS.slice(0, level + 1).flatMap(([, adds]) => adds);
  const flags = needed.filter((flag) => !target.flags.includes(flag));
  return flags.length === 0 ? null : { model, flags };
}

/** A running machine goes on with the abilities that it has found at its start; a model of one maker may lack on other processors. */
function otherProcessor(
  model: string,
  mode: MigrationMode,
  { source, target }: NodeHardware,
): HardwareFit["otherProcessor"] {
  if (PLAIN.test(model)) return null;
  if (source === null || target === null) return undefined;
  if (source.model === target.model) return null;
  const matters = OWN.test(model)
    ? mode === MigrationMode.LIVE
    : source.flags.some((flag) => !target.flags.includes(flag));
  return matters ? { model, source: source.model, target: target.model } : null;
}
