// Reads the network interfaces of a guest's configuration and the static addresses on them.
import ipaddr from "ipaddr.js";
import { GuestType } from "../enums.js";
import { configEntries, type GuestConfig } from "./config.js";
import { parseProperties, type Properties } from "./propertyString.js";

/** One `netN` entry. */
interface NetworkInterface {
  /** The N of `netN`. */
  readonly index: number;
  /** The whole entry: it is always written back whole, so that nothing in it is lost. */
  readonly text: string;
  /** Upper case; null when the entry states none. */
  readonly mac: string | null;
  readonly bridge: string | null;
  readonly vlan: number | null;
}

/** An address that the configuration sets; DHCP, `manual` and `auto` set none. */
interface StaticAddress {
  /** The N of the `netN` or `ipconfigN` entry. */
  readonly index: number;
  /** Normalized: IPv6 in its short lower-case form. */
  readonly address: string;
  readonly prefixLength: number;
  readonly family: 4 | 6;
  readonly gateway: string | null;
}

const INTERFACE_KEY = /^net\d+$/;
const ADDRESS_KEYS = {
  [GuestType.QEMU]: /^ipconfig\d+$/,
  [GuestType.LXC]: INTERFACE_KEY,
} satisfies Record<GuestType, RegExp>;

const MAC = /^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/i;

/** @returns the interfaces of a guest by their number. */
export function guestInterfaces(config: GuestConfig): NetworkInterface[] {
  return configEntries(config, INTERFACE_KEY).map(([key, text]) => {
    const properties = parseProperties(text, "model");
    const vlan = Number(properties.get("tag"));
    return {
      index: indexOf(key),
      text,
      mac: macAddress(properties),
      bridge: properties.get("bridge") ?? null,
      vlan: Number.isInteger(vlan) ? vlan : null,
    };
  });
}

/** @returns the static IPv4 and IPv6 addresses of a guest by interface: `ipconfigN` of QEMU, `netN` of a container. */
export function staticAddresses(type: GuestType, config: GuestConfig): StaticAddress[] {
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

/** In QEMU's short form the model's name is the key and the MAC its value: `virtio=BC:24:11:…`. */
function macAddress(properties: Properties): string | null {
  const written = properties.get("hwaddr") ?? properties.get("macaddr");
  const mac = written ?? [...properties.values()].find((value) => MAC.test(value));
  return mac !== undefined && MAC.test(mac) ? mac.toUpperCase() : null;
}

const indexOf = (key: string): number => Number(/\d+$/.exec(key)?.[0]);
