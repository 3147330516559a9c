// Gives a guest that was made what it is to be like: size, network, its owner's access, or the settings of the guest before it.
import { GuestType } from "../../../core/enums.js";
import type { GuestAddress } from "../../guest.js";
import type { GuestConfig } from "../../guestConfig.js";
import { isNew, type KeptShape, type NewShape, type SetUp } from "../../install.js";
import type { Upid } from "../../task.js";
import type { Ask } from "../client.js";
import { accessSettings, cloudInitDrive } from "./cloudInit.js";
import type { ConfigChange } from "../config/configChange.js";
import { figureIn } from "../figures.js";
import { configure, readConfig } from "../guests.js";
import { clearedFiles } from "./hindrances.js";
import { machineAddress, machineNetwork, nameserverSettings } from "./network.js";

export async function setUp(ask: Ask, guest: GuestAddress, how: SetUp): Promise<Upid | null> {
  const config = await readConfig(ask, guest, "current");
  const { shape } = how;
  const change = isNew(shape)
    ? newChange(guest, config, { ...how, shape })
    : keptChange(guest, config, { ...how, shape });
  return configure(ask, guest, guest.type === GuestType.QEMU ? unhidden(change, config, how) : change);
}

/** Files of the template would take the place of what cloud-init is told here. */
function unhidden(change: ConfigChange, config: GuestConfig, how: SetUp): ConfigChange {
  const files = clearedFiles(config, how);
  if (files === null) return change;
  if (files === "") return { ...change, remove: [...(change.remove ?? []), "cicustom"] };
  return { ...change, set: { ...change.set, cicustom: files } };
}

type Access = Pick<SetUp, "storage" | "access">;
type AsNew = Access & { readonly shape: NewShape };
type AsKept = Access & { readonly shape: KeptShape };

/** A container got everything when it was made. */
function newChange({ type }: GuestAddress, config: GuestConfig, how: AsNew): ConfigChange {
  return type === GuestType.QEMU ? machineChange(config, how) : { remove: present(config, ["description"]) };
}

function machineChange(config: GuestConfig, { shape, ...how }: AsNew): ConfigChange {
  const { cores, memoryMb: memory, network } = shape;
  const balloon = figureIn(config.settings["balloon"], "ramMib") ?? 0;
  return {
    set: {
      cores,
      sockets: 1,
      memory,
      onboot: true,
      net0: machineNetwork(config.settings["net0"], network),
      ipconfig0: machineAddress(config.settings["ipconfig0"], network),
      ...nameserverSettings(network),
      ...machineAccess(config, how),
    },
    // The template's tags and protection are its own, not of what is made from it.
    remove: present(config, ["description", "tags", "protection", "vcpus", ...(balloon > memory ? ["balloon"] : [])]),
  };
}

/** The old settings, and nothing of what the template brought in their place, the job's mark included. */
function keptChange(
  { type }: GuestAddress,
  config: GuestConfig,
  { shape: { settings }, ...how }: AsKept,
): ConfigChange {
  const changed = Object.entries(settings).filter(([key, value]) => config.settings[key] !== value);
  return {
    // A container got its access when it was made.
    set: { ...Object.fromEntries(changed), ...(type === GuestType.QEMU ? machineAccess(config, how) : {}) },
    remove: Object.keys(config.keptSettings).filter((key) => settings[key] === undefined),
  };
}

const machineAccess = (config: GuestConfig, { access, storage }: Access): Record<string, string> => ({
  ...accessSettings(access),
  ...cloudInitDrive(config, storage),
});

/** The platform refuses to remove what is not there on some versions. */
const present = ({ settings }: GuestConfig, keys: readonly string[]): string[] =>
  keys.filter((key) => settings[key] !== undefined);
