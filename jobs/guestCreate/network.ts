// Writes the network part of a new guest's configuration, as Proxmox VE spells it.
import type { GuestCreateInput } from "../../src/actions/guest/guestCreateInput.js";
import { changeProperties } from "../../src/core/inventory/propertyString.js";

type Network = GuestCreateInput["network"];

const FALLBACK_BRIDGE = "vmbr0";

/** `net0` of a container: one interface with its address. */
export function containerNetwork(network: Network): string {
  return [
    "name=eth0",
    `bridge=${network.bridge ?? FALLBACK_BRIDGE}`,
    "firewall=1",
    ...(network.vlan === null ? [] : [`tag=${network.vlan}`]),
    addressSettings(network),
  ].join(",");
}

/** `ipconfig0` of a virtual machine: what cloud-init tells its first interface. */
export const machineAddress = (network: Network): string => addressSettings(network);

/** `net0` of a virtual machine: the template's card with its MAC, on the zone's bridge and VLAN where there is a zone. */
export function machineNetwork(current: string | undefined, network: Network): string {
  const card = current ?? `virtio,bridge=${network.bridge ?? FALLBACK_BRIDGE}`;
  if (network.bridge === null) return card;
  return changeProperties(card, { bridge: network.bridge, tag: network.vlan === null ? null : String(network.vlan) });
}

function addressSettings({ address }: Network): string {
  if (address === null) return "ip=dhcp";
  const suffix = address.family === 6 ? "6" : "";
  const gateway = address.gateway === null ? "" : `,gw${suffix}=${address.gateway}`;
  return `ip${suffix}=${address.cidr}${gateway}`;
}
