// Reads the tables of /proc/net: listening sockets, routes, neighbours.
import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A socket that takes what comes from elsewhere. */
export interface Listener {
  readonly protocol: "tcp" | "udp";
  readonly port: number;
  /** Null: all addresses of the node. */
  readonly address: Address | null;
}

export interface Route {
  readonly network: Address;
  /** Bits of the prefix. */
  readonly length: number;
  readonly hasGateway: boolean;
}

/** States of sockets in hexadecimal: TCP's LISTEN; UDP has no other than this one for sockets without a peer. */
const WAITING = { tcp: "0A", udp: "07" } as const;

/** @param text /proc/net/tcp and tcp6, or udp and udp6. @returns all that others than the node itself can reach */
export function parseListeners(protocol: "tcp" | "udp", text: string): Listener[] {
  return rows(text).flatMap(([, local = "", , state]) => {
    const [hex = "", port = ""] = local.split(":");
    if (state !== WAITING[protocol] || !isHex(hex)) return [];
    const address = addressOf(hex);
    const range = address.range();
    if (range === "loopback") return [];
    return [{ protocol, port: Number.parseInt(port, 16), address: range === "unspecified" ? null : address }];
  });
}

const HAS_GATEWAY = 0x2;
const REFUSES = 0x200;

/** @param text /proc/net/route */
export function parseRoutes4(text: string): Route[] {
  return rows(text).flatMap(([, destination = "", , flagsText = "", , , , mask = ""]) => {
    if (!isHex(destination) || !isHex(mask)) return [];
    const length = new ipaddr.IPv4(wordsOf(mask)).prefixLengthFromSubnetMask();
    const flags = Number.parseInt(flagsText, 16);
    if (length === null || (flags & REFUSES) !== 0) return [];
    return [{ network: addressOf(destination), length, hasGateway: (flags & HAS_GATEWAY) !== 0 }];
  });
}

/** @param text /proc/net/ipv6_route */
export function parseRoutes6(text: string): Route[] {
  return rows(text).flatMap(([destination = "", length = "", , , , , , , flagsText = ""]) => {
    const flags = Number.parseInt(flagsText, 16);
    if (!isHex(destination) || (flags & REFUSES) !== 0) return [];
    const network = new ipaddr.IPv6([...Buffer.from(destination, "hex")]);
    return [{ network, length: Number.parseInt(length, 16), hasGateway: (flags & HAS_GATEWAY) !== 0 }];
  });
}

const COMPLETE = 0x2;

/** @param text /proc/net/arp. @returns the card at each address */
export function parseNeighbours(text: string): Map<string, string> {
  const complete = rows(text).filter(([, , flags = ""]) => (Number.parseInt(flags, 16) & COMPLETE) !== 0);
  return new Map(complete.map(([address = "", , , card = ""]) => [address, card.toLowerCase()]));
}

/** The words of each line; titles are lines like others. */
const rows = (text: string): string[][] =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => line.trim().split(/\s+/));

const isHex = (text: string): boolean => /^([0-9A-F]{8}|[0-9A-F]{32})$/i.test(text);

/** IPv4's, and those of sockets, are words of 32 bits in the machine's order: the lowest byte first on all that run the platform. */
const wordsOf = (hex: string): number[] => [...Buffer.from(hex, "hex").swap32()];

const addressOf = (words: string): Address => ipaddr.process(ipaddr.fromByteArray(wordsOf(words)).toString());
