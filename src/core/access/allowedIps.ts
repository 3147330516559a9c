// Decides whether a request's source address is one that an API token allows.
import type ipaddr from "ipaddr.js";
import { parseIp } from "../addressing/address.js";
import { accepted, refused, type Checked, type Problem } from "../problem.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [address: Address, prefixLength: number];

/** The networks that a token may be used from, ready for matching; null allows any source. */
export type AllowedSources = readonly Network[] | null;

/** An IPv4 address inside IPv6 (`::ffff:a.b.c.d`) has its own bits after this many. */
const MAPPED_PREFIX_LENGTH = 96;

/**
 * Reads a token's allowed IPs: one address or CIDR a line, IPv4 or IPv6; blank lines are skipped, blank text allows any.
 * @returns the networks, or a problem of `allowedIps` for every malformed line, with its number.
 */
export function compileAllowedIps(text: string | null): Checked<AllowedSources> {
  const networks: Network[] = [];
  const problems: Problem[] = [];
  for (const [index, line] of (text ?? "").split(/\r\n|\r|\n/).entries()) {
    const entry = line.trim();
    if (entry === "") continue;
    const network = parseNetwork(entry);
    if (network) networks.push(network);
    else problems.push(malformedLine(index + 1, entry));
  }
  if (problems.length > 0) return refused(...problems);
  return accepted(networks.length > 0 ? networks : null);
}

/** @returns whether a request from `source` (an address as the socket or the proxy gives it) may use the token. */
export function isSourceAllowed(allowed: AllowedSources, source: string): boolean {
  if (allowed === null) return true;
  const address = parseIp(source.replace(/%.*$/, ""));
  return address !== null && allowed.some((network) => contains(network, address));
}

/** @returns whether every source that `inner` allows lies in one network of `outer`. */
export function isWithinSources(outer: AllowedSources, inner: AllowedSources): boolean {
  if (outer === null) return true;
  return inner !== null && inner.every((network) => outer.some((wider) => holds(wider, network)));
}

const holds = (wider: Network, [address, prefixLength]: Network): boolean =>
  wider[1] <= prefixLength && contains(wider, address);

function contains([network, prefixLength]: Network, address: Address): boolean {
  return network.kind() === address.kind() && address.match(network, prefixLength);
}

function parseNetwork(entry: string): Network | null {
  const [text = "", prefix, ...rest] = entry.split("/");
  const address = parseIp(text);
  if (address === null || rest.length > 0) return null;
  const written = text.includes(":") ? 128 : 32;
  const prefixLength = prefix === undefined ? written : prefixWithin(prefix, written);
  if (prefixLength === null) return null;
  return written === 128 && address.kind() === "ipv4" ? mapped(address, prefixLength) : [address, prefixLength];
}

/** A network of mapped addresses is one of IPv4; a wider one would hold them, but they are matched as IPv4 only. */
function mapped(address: Address, prefixLength: number): Network | null {
  return prefixLength < MAPPED_PREFIX_LENGTH ? null : [address, prefixLength - MAPPED_PREFIX_LENGTH];
}

const prefixWithin = (text: string, longest: number): number | null =>
  /^\d{1,3}$/.test(text) && Number(text) <= longest ? Number(text) : null;

const malformedLine = (number: number, entry: string): Problem => ({
  field: "allowedIps",
  message: `line ${number} is neither an IP address nor a CIDR: ${JSON.stringify(entry.slice(0, 60))}`,
});
