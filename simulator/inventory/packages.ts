// Answers the versions of a node's packages, by which fixes can be told.
import type { ApiAnswer } from "../api.js";
import type { Platform } from "../platform.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { Release } from "../version.js";
import { namedNode } from "./nodes.js";

const packages: Record<Release, Record<string, string>> = {
  "7.4": {
    "qemu-server": "7.4-4",
    "pve-container": "4.4-6",
    "libpve-storage-perl": "7.4-3",
    "libpve-common-perl": "7.4-2",
    "libpve-http-server-perl": "4.2-3",
    "libpve-guest-common-perl": "4.2-4",
  },
  "8.4": {
    "qemu-server": "8.4.2",
    "pve-container": "5.3.0",
    "libpve-storage-perl": "8.3.6",
    "libpve-common-perl": "8.3.2",
    "libpve-http-server-perl": "5.2.2",
    "libpve-guest-common-perl": "5.2.2",
  },
  "9.2": {
    "qemu-server": "9.2.6",
    "pve-container": "6.1.10",
    "libpve-storage-perl": "9.1.7",
    "libpve-common-perl": "9.2.1",
    "libpve-http-server-perl": "6.0.5",
    "libpve-guest-common-perl": "6.0.2",
  },
};

/** Announced for the release after the last one that is known; what else it has is taken to be as before. */
const afterwards = { since: [9, 3], packages: { "qemu-server": "9.3.0", "pve-container": "6.2.0" } } as const;

/** The installed versions on a node by package: those of its release, unless it was ordered to have others. */
export function packagesOf({ release, state }: Platform, name: string): Record<string, string> {
  const node = state.nodes.get(name);
  const [major = 0, minor = 0] = (node?.version ?? "").split(/[.-]/).map(Number);
  const [newMajor, newMinor] = afterwards.since;
  const isAfterwards = major > newMajor || (major === newMajor && minor >= newMinor);
  return { ...packages[release], ...(isAfterwards ? afterwards.packages : {}), ...node?.packages };
}

/** `GET /nodes/{node}/apt/versions`. */
export function packageVersions(call: Call): ApiAnswer {
  const node = namedNode(call);
  const rows = Object.entries({ "pve-manager": node.version, ...packagesOf(call.platform, node.name) });
  return answer(rows.map(([name, version]) => packageRow(name, version, node.architecture)));
}

/** Packages that are built for one architecture; the others run on each. */
const built = ["pve-manager", "qemu-server"];

/** `Version` is the newest that could be installed: here the one that is. */
function packageRow(name: string, version: string, architecture: string): Record<string, unknown> {
  return {
    Package: name,
    Title: name,
    Description: name,
    Section: "admin",
    Priority: "optional",
    Origin: "Proxmox",
    Arch: built.includes(name) ? architecture : "all",
    Version: version,
    OldVersion: version,
    CurrentState: "Installed",
  };
}
