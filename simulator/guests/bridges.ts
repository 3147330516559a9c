// Decides whether an identity may attach a guest to a bridge, and whether a node has it.
import { failure } from "../api.js";
import type { Call } from "../route.js";
import type { PlatformState } from "../state/platform.js";
import { superuser } from "../state/access.js";
import { atLeast } from "../version.js";

/** Bridge of one network card, with its VLANs. */
export interface Attachment {
  bridge?: string | undefined;
  tag?: string | undefined;
  /** `1;2` */
  trunks?: string | undefined;
}

/** Releases from 8 on want SDN.Use on the bridge or on each VLAN named. @throws ApiError 403 */
export function checkBridgeAccess(call: Call, attachments: readonly Attachment[]): void {
  const { platform, identity } = call;
  if (identity.label === superuser || !atLeast(platform.release, "8.4")) return;
  for (const { bridge, tag, trunks } of attachments) {
    if (bridge === undefined) continue;
    const path = `/sdn/zones/localnetwork/${bridge}`;
    const vlans = [...(tag === undefined ? [] : [tag]), ...(trunks === undefined ? [] : trunks.split(";"))];
    for (const vlan of vlans) platform.permissions.check(identity.label, `${path}/${vlan}`, ["SDN.Use"]);
    if (vlans.length === 0) platform.permissions.check(identity.label, path, ["SDN.Use"]);
  }
}

/** Interfaces that the kernel has count, whether or not the configuration file names them. @throws ApiError 500 */
export function requireBridge(state: Pick<PlatformState, "nodes">, node: string, name: string): void {
  if (!hasBridge(state, node, name)) throw failure(`bridge '${name}' does not exist`);
}

export const hasBridge = ({ nodes }: Pick<PlatformState, "nodes">, node: string, name: string): boolean =>
  nodes.get(node)?.network.some(({ iface }) => iface === name) ?? false;
