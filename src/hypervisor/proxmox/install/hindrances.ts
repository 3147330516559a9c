// Finds what of a guest's image keeps its owner's access, or its address, from the guest.
import { GuestType } from "../../../core/enums.js";
import type { GuestAddress } from "../../guest.js";
import type { GuestConfig } from "../../guestConfig.js";
import { isNew, type Hindrance, type SetUp } from "../../install.js";
import type { Ask } from "../client.js";
import { staticAddresses } from "../config/cards.js";
import { changeProperties, parseProperties } from "../config/propertyString.js";
import { readConfig } from "../guests.js";
import { lacksDrive } from "./cloudInit.js";

type HiddenPart = Hindrance["hides"][number];

/** Files that take the place of what cloud-init is told by the settings. Those for `vendor` and `meta` come beside. */
const FILES: readonly Omit<FileInTheWay, "file">[] = [
  { part: "user", replaces: "access" },
  { part: "network", replaces: "network" },
];

interface FileInTheWay {
  /** Its name in `cicustom`. */
  readonly part: string;
  readonly replaces: HiddenPart;
  /** Its volume. */
  readonly file: string;
}

/** @returns none for a guest that is to get neither */
export async function findHindrances(ask: Ask, guest: GuestAddress, how: SetUp): Promise<Hindrance[]> {
  const hides = askedFor(guest.type, how);
  if (hides.length === 0) return [];
  const config = await readConfig(ask, guest, "current");
  if (guest.type === GuestType.LXC) {
    // The platform writes nothing into a system that it does not know.
    return config.settings["ostype"] === "unmanaged" ? [{ setting: "ostype unmanaged", hides, isTakenOff: false }] : [];
  }
  const files = filesInTheWay(config, hides).map(({ part, file, replaces }) => ({
    setting: `cicustom ${part}=${file}`,
    hides: [replaces],
    isTakenOff: true,
  }));
  const driveless = { setting: "no free slot for a cloud-init drive", hides, isTakenOff: false };
  return lacksDrive(config) ? [...files, driveless] : files;
}

/** `cicustom` of a machine without what would hide the settings that it gets; null: it stays as it is. Empty: nothing is left of it. */
export function clearedFiles(config: GuestConfig, how: SetUp): string | null {
  const files = filesInTheWay(config, askedFor(GuestType.QEMU, how));
  if (files.length === 0) return null;
  return changeProperties(config.settings["cicustom"] ?? "", Object.fromEntries(files.map(({ part }) => [part, null])));
}

function filesInTheWay({ settings }: GuestConfig, asked: readonly HiddenPart[]): FileInTheWay[] {
  const files = parseProperties(settings["cicustom"] ?? "");
  return FILES.flatMap(({ part, replaces }) => {
    const file = files.get(part);
    return file === undefined || !asked.includes(replaces) ? [] : [{ part, replaces, file }];
  });
}

/** A guest that gets its address from its network needs none of ours. */
function askedFor(type: GuestType, { access, shape }: SetUp): HiddenPart[] {
  const hasAddress = isNew(shape) ? shape.network.address !== null : staticAddresses(type, shape.settings).length > 0;
  const asked: HiddenPart[] = [];
  if (access.password !== null || access.sshKeys.length > 0) asked.push("access");
  if (hasAddress) asked.push("network");
  return asked;
}
