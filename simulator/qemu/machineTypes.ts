// Knows which machine types a release's QEMU can build, and which one a machine runs with.
import type { ApiAnswer } from "../api.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { ConfigValues } from "../state/guest.js";
import { releaseFacts, type Release } from "../version.js";

interface MachineVersion {
  major: number;
  minor: number;
}

const oldest: MachineVersion = { major: 4, minor: 0 };
const minorsPerMajor = 3;

function newest(release: Release): MachineVersion {
  const [major = 0, minor = 0] = releaseFacts(release).qemu.split(".").map(Number);
  return { major, minor };
}

const versionNumber = ({ major, minor }: MachineVersion): number => major * minorsPerMajor + minor;

/** `GET /nodes/{node}/capabilities/qemu/machines`, from 4.0 on. */
export function listMachineTypes({ platform }: Call): ApiAnswer {
  const first = versionNumber(oldest);
  const count = versionNumber(newest(platform.release)) - first + 1;
  const versions = Array.from({ length: count }, (_, index) => {
    const number = first + index;
    return `${Math.floor(number / minorsPerMajor)}.${number % minorsPerMajor}`;
  });
  return answer(
    ["i440fx", "q35"].flatMap((type) => versions.map((version) => ({ id: `pc-${type}-${version}`, type, version }))),
  );
}

/** What the configuration demands; one that names no version gets the newest of its kind. */
export function machineOf(release: Release, { machine = "pc" }: ConfigValues): string {
  const [stated = ""] = machine.split(",").map((part) => part.replace(/^type=/, ""));
  if (stated.startsWith("pc-")) return stated;
  const { major, minor } = newest(release);
  return `pc-${stated === "q35" ? "q35" : "i440fx"}-${major}.${minor}+pve0`;
}

/** A QEMU knows the machine types of its own and of older versions only. */
export function isMachineKnown(release: Release, machine: string): boolean {
  const [, major, minor] = /-(\d+)\.(\d+)/.exec(machine) ?? [];
  if (major === undefined) return true;
  return versionNumber(newest(release)) >= versionNumber({ major: Number(major), minor: Number(minor) });
}
