// Reads the network cards of a guest's configuration and the static addresses on them.
import ipaddr from "ipaddr.js";
import { GuestType } from "../../../core/enums.js";
import type { Card, StaticAddress } from "../../../core/inventory/card.js";
import { figureIn } from "../figures.js";
import { configEntries, type ConfigValues } from "./values.js";
import { parseProperties } from "./propertyString.js";

export const INTERFACE_KEY = /^net\d+$/;
const ADDRESS_KEYS = {
  [GuestType.QEMU]: /^ipconfig\d+$/,
  [GuestType.LXC]: INTERFACE_KEY,
} satisfies Record<GuestType, RegExp>;

/** `mtu=1` asks for the bridge's. */
const INHERITED_MTU = 1;

/** @returns the cards of a guest by their number. */
export function guestCards(config: ConfigValues): Card[] {
  return configEntries(config, INTERFACE_KEY).map(([key, text]) => {
    const properties = parseProperties(text, "model");
    const vlan = figureIn(properties.get("tag"), "vlan");
    const mtu = figureIn(properties.get("mtu"), "mtu");
    return {
      key,
      index: indexOf(key),
      bridge: properties.get("bridge") ?? null,
      vlan: Number.isInteger(vlan) ? vlan : null,
      hasTrunks: properties.has("trunks"),
      mtu: mtu !== null && mtu > INHERITED_MTU ? mtu : null,
      isFiltered: properties.get("firewall") === "1",
    };
  });
}

/** @returns the static IPv4 and IPv6 addresses of a guest by interface: `ipconfigN` of QEMU, `netN` of a container. */
export function staticAddresses(type: GuestType, config: ConfigValues): StaticAddress[] {
  return configEntries(config, ADDRESS_KEYS[type]).flatMap(([key, text]) => {
    const properties = parseProperties(text);
    return [
      ...staticAddress(indexOf(key), properties.get("ip"), properties.get("gw")),
      ...staticAddress(indexOf(key), properties.get("ip6"), properties.get("gw6")),
    ];
  });
}

function staticAddress(index: number, cidr: string | undefined, gateway: string | undefined): StaticAddress[] {
  if (cidr === undefined || !ipaddr.isValidCIDR(cidr)) return [];
  const [address, prefixLength] = ipaddr.parseCIDR(cidr);
  const family = address.kind() === "ipv4" ? 4 : 6;
  return [{ index, address: address.toString(), prefixLength, family, gateway: gateway ?? null }];
}

const indexOf = (key: string): number => Number(/\d+$/.exec(key)?.[0]);
