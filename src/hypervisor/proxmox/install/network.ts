// Writes the network part of a guest's configuration.
import ipaddr from "ipaddr.js";
import { GuestType } from "../../../core/enums.js";
import { changeProperties, parseProperties } from "../config/propertyString.js";
import type { ConfigChange } from "../config/configChange.js";
import type { GuestAddress } from "../../guest.js";
import type { GuestConfig } from "../../guestConfig.js";
import type { AddressChange, GuestNetwork } from "../../install.js";
import type { Upid } from "../../task.js";
import type { Ask } from "../client.js";
import { configure, readConfig } from "../guests.js";

const FALLBACK_BRIDGE = "vmbr0";

/** `net0` of a container: one interface with its address. */
export function containerNetwork(network: GuestNetwork): string {
  return [
    "name=eth0",
    `bridge=${network.bridge ?? FALLBACK_BRIDGE}`,
    "firewall=1",
    ...(network.vlan === null ? [] : [`tag=${network.vlan}`]),
    addressSettings(network),
  ].join(",");
}

/**
 * `ipconfig0` of a virtual machine: cloud-init's settings of its first interface. Of the other address family it keeps what the template
 * says for every machine, as `ip6=auto`; an address of the template's own is none of them.
 */
export function machineAddress(current: string | undefined, network: GuestNetwork): string {
  const other = network.address?.family === 6 ? "ip" : "ip6";
  const method = parseProperties(current ?? "").get(other);
  const kept = method === undefined || ipaddr.isValidCIDR(method) ? [] : [`${other}=${method}`];
  return [addressSettings(network), ...kept].join(",");
}

function addressSettings({ address }: GuestNetwork): string {
  if (address === null) return "ip=dhcp";
  const suffix = address.family === 6 ? "6" : "";
  const gateway = address.gateway === null ? "" : `,gw${suffix}=${address.gateway}`;
  return `ip${suffix}=${address.cidr}${gateway}`;
}

/** `net0` of a virtual machine: the template's card with its MAC, on the zone's bridge and VLAN where there is a zone. */
export function machineNetwork(current: string | undefined, network: GuestNetwork): string {
  const card = current ?? `virtio,bridge=${network.bridge ?? FALLBACK_BRIDGE}`;
  if (network.bridge === null) return card;
  return changeProperties(card, { bridge: network.bridge, tag: network.vlan === null ? null : String(network.vlan) });
}

export const nameserverSettings = ({ nameservers }: Pick<GuestNetwork, "nameservers">): Record<string, string> =>
  nameservers.length > 0 ? { nameserver: nameservers.join(" ") } : {};

/** A machine reads it from its cloud-init drive at its next start. */
export async function setAddress(ask: Ask, guest: GuestAddress, change: AddressChange): Promise<Upid | null> {
  const config = await readConfig(ask, guest, "current");
  const index = config.addresses.find(({ address }) => address === change.current)?.index ?? 0;
  const changed = guest.type === GuestType.QEMU ? machineChange : containerChange;
  return configure(ask, guest, { set: changed(config, change, index), digest: config.digest });
}

/** Everything else of the entry stays, its MAC above all. */
const addressProperties = ({ address, prefixLength, family, gateway }: AddressChange): Record<string, string | null> =>
  family === 4
    ? { ip: `${address}/${prefixLength}`, gw: gateway }
    : { ip6: `${address}/${prefixLength}`, gw6: gateway };

const tagOf = ({ vlan }: AddressChange): Record<string, string | null> => ({
  tag: vlan === null ? null : String(vlan),
});

function containerChange(
  { settings }: GuestConfig,
  change: AddressChange,
  index: number,
): NonNullable<ConfigChange["set"]> {
  const key = `net${index}`;
  const entry = changeProperties(settings[key] ?? "", { ...addressProperties(change), ...tagOf(change) });
  return { [key]: entry, ...nameserverSettings(change) };
}

function machineChange(
  { settings }: GuestConfig,
  change: AddressChange,
  index: number,
): NonNullable<ConfigChange["set"]> {
  const address = `ipconfig${index}`;
  const card = `net${index}`;
  const known = settings[card];
  return {
    [address]: changeProperties(settings[address] ?? "", addressProperties(change)),
    ...(known === undefined ? {} : { [card]: changeProperties(known, tagOf(change)) }),
    ...nameserverSettings(change),
  };
}
