// Answers the versions of a node's packages, by which fixes can be told.
import type { ApiAnswer } from "../api.js";
import { nodeOf } from "../guests/lookup.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { Release } from "../version.js";

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

/** `GET /nodes/{node}/apt/versions`. */
export function packageVersions(call: Call): ApiAnswer {
  const { release, state } = call.platform;
  const manager = state.nodes.get(nodeOf(call))?.version ?? "";
  const versions = { "pve-manager": manager, ...packages[release] };
  return answer(
    Object.entries(versions).map(([Package, Version]) => ({
      Package,
      Version,
      OldVersion: Version,
      CurrentState: "Installed",
    })),
  );
}
