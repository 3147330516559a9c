// Says which version of the tunnel a node's packages speak, and how old a source they still understand.
import { packagesOf } from "../inventory/packages.js";
import type { Platform } from "../platform.js";
import type { GuestType } from "../state/guest.js";

/** `age`: the tunnel understands sources that are so many versions older. */
interface TunnelVersion {
  api: number;
  age: number;
}

/** From these versions on the tunnel has commands that a source may use or not. */
const newer: Record<GuestType, { name: string; since: readonly [major: number, minor: number] }> = {
  qemu: { name: "qemu-server", since: [9, 3] },
  lxc: { name: "pve-container", since: [6, 2] },
};

export function tunnelVersion(platform: Platform, node: string, type: GuestType): TunnelVersion {
  const { name, since } = newer[type];
  const [major = 0, minor = 0] = (packagesOf(platform, node)[name] ?? "").split(/[.-]/).map(Number);
  const isNewer = major > since[0] || (major === since[0] && minor >= since[1]);
  return isNewer ? { api: 3, age: 1 } : { api: 2, age: 0 };
}
