// Decides at which addresses no host is connected: there the service would open its own machine and network to whoever may add hosts.
import ipaddr from "ipaddr.js";
import { compileAllowedIps, isSourceAllowed } from "../access/allowedIps.js";
import { describeProblems } from "../problem.js";
import { parseIp } from "./address.js";

/** The machine itself, its link, groups of machines, and no machine at all. */
const CLOSED_RANGES = new Set(["loopback", "linkLocal", "unspecified", "multicast", "broadcast"]);

/** Where clouds give a machine its credentials, outside of their link-local addresses. */
const METADATA = new Set(["fd00:ec2::254", "100.100.100.200", "168.63.129.16"]);

/** IPv6 ranges that lead to an IPv4 address, which is in the last 32 bits; in `2002::/16` after the first 16. */
const LEADING_ON = new Set(["rfc6145", "rfc6052"]);

/**
 * @param opened addresses and CIDRs that the operator opens all the same
 * @returns whether a host may be connected at an address, as the resolver or the operator wrote it
 * @throws Error when one is malformed
 */
export function openAddresses(opened: readonly string[]): (address: string) => boolean {
  const exceptions = compileAllowedIps(opened.join("\n"));
  if (!exceptions.ok) throw new Error(describeProblems(exceptions.problems));
  return (address) => {
    if (exceptions.value !== null && isSourceAllowed(exceptions.value, address)) return true;
    const parsed = parseIp(address);
    return parsed !== null && !isClosed(parsed);
  };
}

function isClosed(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (METADATA.has(address.toString())) return true;
  const range = address.range();
  if (CLOSED_RANGES.has(range)) return true;
  const inner = innerAddress(address, range);
  return inner !== null && isClosed(inner);
}

function innerAddress(address: ipaddr.IPv4 | ipaddr.IPv6, range: string): ipaddr.IPv4 | null {
  const bytes = address.toByteArray();
  if (LEADING_ON.has(range)) return new ipaddr.IPv4(bytes.slice(12));
  return range === "6to4" ? new ipaddr.IPv4(bytes.slice(2, 6)) : null;
}
