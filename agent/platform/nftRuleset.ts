// Writes the port forwards of a node as one nftables transaction on a table of its own.
import { isIPv4, isIPv6 } from "node:net";
import type { PortForward } from "./platform.js";

export const TABLE = "inet drover";

/**
 * The text for `nft -f -`, which the kernel takes as a whole or not at all. The table is named once before it is
 * deleted, since deleting a table that is not there would fail; with no forwards nothing of it is left.
 * @param localPublicAddress the public address when it is one of this node's own. Otherwise (the node stands behind
 * another NAT) traffic to any address of the node is forwarded.
 */
export function forwardsRuleset(forwards: readonly PortForward[], localPublicAddress: string | null): string {
  const replaced = [`table ${TABLE}`, `delete table ${TABLE}`];
  if (forwards.length === 0) return lines(replaced);
  return lines([
    ...replaced,
    `table ${TABLE} {`,
    "\tchain prerouting {",
    "\t\ttype nat hook prerouting priority -100; policy accept;",
    ...forwards.map((forward) => `\t\t${rule(forward, localPublicAddress)}`),
    "\t}",
    "}",
  ]);
}

function rule(forward: PortForward, localPublicAddress: string | null): string {
  const { protocol, publicPort, guestAddress, guestPort } = forward;
  const six = isIPv6(guestAddress);
  const target = six ? `ip6 to [${guestAddress}]:${guestPort}` : `ip to ${guestAddress}:${guestPort}`;
  return `${arrivingAt(six, localPublicAddress)} ${protocol} dport ${publicPort} dnat ${target}`;
}

function arrivingAt(six: boolean, address: string | null): string {
  if (address !== null && six && isIPv6(address)) return `ip6 daddr ${address}`;
  if (address !== null && !six && isIPv4(address)) return `ip daddr ${address}`;
  return `meta nfproto ${six ? "ipv6" : "ipv4"} fib daddr type local`;
}

function lines(all: readonly string[]): string {
  return `${all.join("\n")}\n`;
}
