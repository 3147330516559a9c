// Reads and writes the network cards of a VM's configuration.
import { randomMac } from "../guests/identifiers.js";
import type { Attachment } from "../guests/bridges.js";
import { propertyTable } from "../parameters/namedFormats.js";
import type { Properties } from "../parameters/propertyString.js";
import { parsePropertyString, printPropertyString } from "../parameters/propertyString.js";
import type { PropertyTable } from "../parameters/propertyTable.js";
import { methodTable } from "../parameters/schema.js";
import type { ConfigValues } from "../state/guest.js";
import type { Release } from "../version.js";

function networkTable(release: Release): PropertyTable {
  return propertyTable(methodTable(release, "POST /nodes/{node}/qemu")?.["net[n]"]?.format) ?? {};
}

export function isNetworkName(key: string): boolean {
  return /^net\d+$/.test(key);
}

export function parseNetwork(release: Release, value: string): Properties {
  return parsePropertyString(value, networkTable(release));
}

/** The entry in its stored form, with a MAC address of its own when it has none. */
export function completeNetwork(release: Release, value: string): string {
  const card = parseNetwork(release, value);
  return printPropertyString({ ...card, macaddr: card.macaddr ?? randomMac() }, networkTable(release));
}

/** The same card with another MAC address. */
export function withNewMac(release: Release, value: string): string {
  return printPropertyString({ ...parseNetwork(release, value), macaddr: randomMac() }, networkTable(release));
}

/** Bridges that a configuration's cards are attached to. */
export function attachments(release: Release, config: ConfigValues): Attachment[] {
  return Object.entries(config)
    .filter(([key]) => isNetworkName(key))
    .map(([, value]) => parseNetwork(release, value))
    .map(({ bridge, tag, trunks }) => ({ bridge, tag, trunks }));
}
