// Reads what a node's kernel says of its network, and what its guests' configurations say of theirs.
import { promises as fs } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import ipaddr from "ipaddr.js";
import { readIfThere } from "../files.js";
import { readGuestCards, type GuestCards } from "./guestCards.js";
import { parseListeners, parseNeighbours, parseRoutes4, parseRoutes6 } from "./kernelTables.js";
import type { Listener, Route } from "./kernelTables.js";

/** A node's network; addresses as `ipaddr.js` writes them, cards as lower-case MAC addresses. */
export interface NodeNetwork {
  /** Programs that take connections or datagrams from elsewhere. */
  readonly listeners: readonly Listener[];
  readonly own: ReadonlySet<string>;
  /** The own address on which forwards are published; null: all of them. */
  readonly publicAddress: string | null;
  readonly routes: readonly Route[];
  /** The card at each address that the node has lately spoken to; IPv4. */
  readonly neighbours: ReadonlyMap<string, string>;
  /** All guests of the node's cluster. */
  readonly guests: GuestCards;
}

/** Where to read. */
export interface NodePlace {
  /** Where the node's file system begins. */
  readonly root: string;
  /** The address that forwards are published on, which is the node's own or that of a NAT before it. */
  readonly publicAddress: string | undefined;
}

/** @throws when the kernel or the cluster file system does not say it */
export async function readNodeNetwork({ root, publicAddress = "" }: NodePlace): Promise<NodeNetwork> {
  const kernel = (table: string): Promise<string> => fs.readFile(join(root, "proc/net", table), "utf8");
  /** A kernel without IPv6 has none of its tables. */
  const kernel6 = async (table: string): Promise<string> => (await readIfThere(join(root, "proc/net", table))) ?? "";
  const [tcp, udp, tcp6, udp6, routes, routes6, arp, guests] = await Promise.all([
    kernel("tcp"),
    kernel("udp"),
    kernel6("tcp6"),
    kernel6("udp6"),
    kernel("route"),
    kernel6("ipv6_route"),
    kernel("arp"),
    readGuestCards(root),
  ]);
  const own = ownAddresses();
  const published = ipaddr.isValid(publicAddress) ? ipaddr.parse(publicAddress).toString() : "";
  return {
    listeners: [...parseListeners("tcp", tcp + tcp6), ...parseListeners("udp", udp + udp6)],
    own,
    publicAddress: own.has(published) ? published : null,
    routes: [...parseRoutes4(routes), ...parseRoutes6(routes6)],
    neighbours: parseNeighbours(arp),
    guests,
  };
}

function ownAddresses(): ReadonlySet<string> {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return new Set(all.map(({ address }) => ipaddr.parse(address).toString()));
}
