// Reads and writes the network interfaces of a container's configuration.
import type { Attachment } from "../guests/bridges.js";
import { randomMac } from "../guests/identifiers.js";
import { propertyTable } from "../parameters/namedFormats.js";
import type { Properties } from "../parameters/propertyString.js";
import { parsePropertyString, printPropertyString } from "../parameters/propertyString.js";
import type { PropertyTable } from "../parameters/propertyTable.js";
import { methodTable } from "../parameters/schema.js";
import type { ConfigValues } from "../state/guest.js";
import type { Release } from "../version.js";

function interfaceTable(release: Release): PropertyTable {
  return propertyTable(methodTable(release, "POST /nodes/{node}/lxc")?.["net[n]"]?.format) ?? {};
}

export function isInterfaceName(key: string): boolean {
  return /^net\d+$/.test(key);
}

function parseInterface(release: Release, value: string): Properties {
  return parsePropertyString(value, interfaceTable(release));
}

/** The entry in its stored form, with a MAC address and a type when it has none. */
export function completeInterface(release: Release, value: string): string {
  const entry = parseInterface(release, value);
  return printPropertyString({ ...entry, hwaddr: entry.hwaddr ?? randomMac(), type: "veth" }, interfaceTable(release));
}

/** The same interface with another MAC address. */
export function withNewInterfaceMac(release: Release, value: string): string {
  return printPropertyString(
    { ...parseInterface(release, value), hwaddr: randomMac(), type: "veth" },
    interfaceTable(release),
  );
}

/** Bridge of one entry. */
export function attachmentOf(release: Release, value: string): Attachment {
  const { bridge, tag, trunks } = parseInterface(release, value);
  return { bridge, tag, trunks };
}

/** What the interfaces of a running container look like from inside. */
export function liveInterfaces(release: Release, config: ConfigValues): Record<string, unknown>[] {
  const loopback = describe("lo", "00:00:00:00:00:00", "127.0.0.1/8");
  const cards = Object.entries(config)
    .filter(([key]) => isInterfaceName(key))
    .map(([, value]) => parseInterface(release, value));
  return [
    loopback,
    ...cards.map(({ name = "", hwaddr = "", ip }) =>
      describe(name, hwaddr.toLowerCase(), ip?.includes("/") === true ? ip : null),
    ),
  ];
}

function describe(name: string, mac: string, cidr: string | null): Record<string, unknown> {
  const plain = { name, hwaddr: mac, "hardware-address": mac };
  if (cidr === null) return { ...plain, "ip-addresses": [] };
  const [ip = "", prefix = ""] = cidr.split("/");
  return {
    ...plain,
    inet: cidr,
    "ip-addresses": [{ "ip-address": ip, "ip-address-type": "inet", prefix: Number(prefix) }],
  };
}
