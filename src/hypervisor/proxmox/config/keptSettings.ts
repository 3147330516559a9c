// Decides which settings of its configuration a reinstalled guest keeps.
import { GuestType } from "../../../core/enums.js";
import type { PlatformSettings } from "../../guestConfig.js";

const KEPT = {
  [GuestType.QEMU]:
    /^(?:name|memory|balloon|shares|cores|sockets|vcpus|cpulimit|cpuunits|onboot|protection|startup|tags|description|nameserver|searchdomain|net\d+|ipconfig\d+)$/,
  [GuestType.LXC]:
    /^(?:hostname|memory|swap|cores|cpulimit|cpuunits|onboot|protection|startup|tags|description|nameserver|searchdomain|timezone|net\d+)$/,
} satisfies Record<GuestType, RegExp>;

/** @returns the settings that stay. */
export const keptSettings = (type: GuestType, settings: PlatformSettings): PlatformSettings =>
  Object.fromEntries(Object.entries(settings).filter(([key]) => KEPT[type].test(key)));
