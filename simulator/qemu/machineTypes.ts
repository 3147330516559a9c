// Knows which machine types a host's QEMU can build, and which one a machine runs with.
import type { ApiAnswer } from "../api.js";
import type { Platform } from "../platform.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { ConfigValues, Guest } from "../state/guest.js";

interface MachineVersion {
  major: number;
  minor: number;
}

const oldest: MachineVersion = { major: 4, minor: 0 };
const minorsPerMajor = 3;
/** Proxmox VE's own revisions of QEMU's machine versions; the others have none. */
const revisions: Readonly<Record<string, number>> = { "4.1": 2, "9.2": 1, "10.0": 1, "11.0": 2 };

function newest(qemu: string): MachineVersion {
  const [major = 0, minor = 0] = qemu.split(".").map(Number);
  return { major, minor };
}

const versionNumber = ({ major, minor }: MachineVersion): number => major * minorsPerMajor + minor;

/** `GET /nodes/{node}/capabilities/qemu/machines`, from 4.0 on. */
export function listMachineTypes({ platform }: Call): ApiAnswer {
  const first = versionNumber(oldest);
  const count = versionNumber(newest(platform.qemu)) - first + 1;
  const versions = Array.from({ length: count }, (_, index) => {
    const number = first + index;
    return `${Math.floor(number / minorsPerMajor)}.${number % minorsPerMajor}`;
  });
  return answer(
    ["i440fx", "q35"].flatMap((type) => versions.map((version) => ({ id: `pc-${type}-${version}`, type, version }))),
  );
}

/** What the configuration demands of a new process; one that names no version gets the newest of its kind. */
export function machineOf({ qemu }: Pick<Platform, "qemu">, { machine = "pc" }: ConfigValues): string {
  const [stated = ""] = machine.split(",").map((part) => part.replace(/^type=/, ""));
  if (stated.startsWith("pc-")) return /\+pve\d+/.test(stated) ? stated : `${stated}+pve0`;
  const { major, minor } = newest(qemu);
  const version = `${major}.${minor}`;
  return `pc-${stated === "q35" ? "q35" : "i440fx"}-${version}+pve${revisions[version] ?? 0}`;
}

/** A machine keeps the type that it was started with, on whatever host it has moved to since. */
export const runningMachine = (platform: Platform, { config, runtime }: Guest): string =>
  runtime?.machine ?? machineOf(platform, config);

/** A QEMU knows the machine types of its own and of older versions only. */
export function isMachineKnown({ qemu }: Pick<Platform, "qemu">, machine: string): boolean {
  const version = versionOf(machine);
  return version === null || versionNumber(newest(qemu)) >= versionNumber(version);
}

/** From this version of the machine on, its disks are block nodes, whose jobs have names of their own. */
export function hasBlockNodes(machine: string): boolean {
  const version = versionOf(machine);
  return version !== null && version.major >= 10;
}

/** From 8.2 on QEMU can change how it mirrors a disk while it does. */
export const hasActiveMirrors = ({ qemu }: Pick<Platform, "qemu">): boolean =>
  versionNumber(newest(qemu)) >= versionNumber({ major: 8, minor: 2 });

function versionOf(machine: string): MachineVersion | null {
  const [, major, minor] = /-(\d+)\.(\d+)/.exec(machine) ?? [];
  return major === undefined ? null : { major: Number(major), minor: Number(minor) };
}
