// Starts a simulated host for a foreign client: a token, and a storage that has snapshots for both guest types.
import type { RunningHost } from "../../../simulator/host.js";
import type { Release } from "../../../simulator/version.js";
import { startSimulatedHost } from "../../support/host.js";

export const tokenId = "root@pam!foreign";
export const tokenSecret = "4d1f3c2a-0000-4000-8000-00000000f0e1";
export const rootPassword = "root-Password-1";
export const template = "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.gz";

/** Where a client finds the host, and what signed its certificate. */
export interface ForeignStage {
  host: RunningHost;
  address: string;
  port: number;
}

export async function startStage(release: Release): Promise<ForeignStage> {
  const host = await startSimulatedHost({
    name: "pvea",
    release,
    rootPassword,
    timeFactor: 1000,
    tokens: [{ id: tokenId, secret: tokenSecret }],
  });
  const { state } = host.platform;
  const local = state.storages.get("local");
  if (local === undefined) throw new Error("the host has no storage 'local'");
  state.storages.set("tank", { ...local, name: "tank", type: "zfspool", path: "tank", content: ["images", "rootdir"] });
  return { host, address: new URL(host.url).hostname, port: host.port };
}
