// Decides which forwards a node takes: none of a port that is the node's own, none to an address that is no guest's.
import ipaddr from "ipaddr.js";
import type { Route } from "./platform/kernelTables.js";
import type { NodeNetwork } from "./platform/nodeNetwork.js";
import type { PortForward } from "./platform/platform.js";

interface OwnPorts {
  readonly service: string;
  readonly protocols: readonly string[];
  readonly first: number;
  readonly last: number;
}

/** What every node has ports for, by the platform's documentation of its firewall. */
const OWN_PORTS: readonly OwnPorts[] = [
  { service: "SSH", protocols: ["tcp"], first: 22, last: 22 },
  { service: "rpcbind", protocols: ["tcp", "udp"], first: 111, last: 111 },
  { service: "the SPICE proxy", protocols: ["tcp"], first: 3128, last: 3128 },
  { service: "the cluster's own traffic", protocols: ["udp"], first: 5405, last: 5412 },
  { service: "consoles", protocols: ["tcp"], first: 5900, last: 5999 },
  { service: "the platform's API", protocols: ["tcp"], first: 8006, last: 8006 },
  { service: "migrations inside the cluster", protocols: ["tcp"], first: 60_000, last: 60_050 },
];

/** Ranges whose addresses lead to the node itself, to its link, to many, or to none. */
const NO_GUESTS: ReadonlySet<string> = new Set([
  "unspecified",
  "loopback",
  "linkLocal",
  "multicast",
  "broadcast",
  "ipv4Mapped",
]);

/** @returns why no node takes the forward; null: nothing speaks against it as such */
export function forwardFault(forward: PortForward): string | null {
  const { protocol, publicPort, guestAddress } = forward;
  const own = OWN_PORTS.find(
    ({ protocols, first, last }) => protocols.includes(protocol) && publicPort >= first && publicPort <= last,
  );
  if (own !== undefined)
    return fault(forward, `public ${protocol} port ${publicPort} is the node's own, for ${own.service}`);
  const range = ipaddr.parse(guestAddress).range();
  return NO_GUESTS.has(range) ? fault(forward, `${guestAddress} is no address of a guest`) : null;
}

/** @returns why this node does not take the forward; null: it does */
export function forwardFaultOn(network: NodeNetwork, forward: PortForward): string | null {
  const problem = portProblem(network, forward) ?? addressProblem(network, forward.guestAddress);
  return problem === null ? null : fault(forward, problem);
}

/** Forwards that a node takes, and why it does not take the others. */
export interface Vetted {
  readonly taken: readonly PortForward[];
  readonly faults: readonly string[];
}

/** @param faultOf why a forward is not taken; null: it is */
export function vetForwards(
  forwards: readonly PortForward[],
  faultOf: (forward: PortForward) => string | null,
): Vetted {
  const faults = forwards.map(faultOf);
  return { taken: forwards.filter((_, index) => faults[index] === null), faults: faults.flatMap((each) => each ?? []) };
}

/** @throws Error with all faults */
export function reportFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(`${faults.join("; ")} (the other forwards are in force)`);
}

const fault = ({ id }: PortForward, problem: string): string => `forward ${id}: ${problem}`;

function portProblem(
  { listeners, publicAddress }: NodeNetwork,
  { protocol, publicPort, guestAddress }: PortForward,
): string | null {
  const kind = ipaddr.parse(guestAddress).kind();
  const isTaken = listeners.some(
    ({ address, ...listener }) =>
      listener.protocol === protocol &&
      listener.port === publicPort &&
      (address === null || (address.kind() === kind && (publicAddress ?? address.toString()) === address.toString())),
  );
  return isTaken ? `a program of the node listens on ${protocol} port ${publicPort}` : null;
}

function addressProblem({ own, guests, routes, neighbours }: NodeNetwork, text: string): string | null {
  const address = ipaddr.parse(text);
  const name = address.toString();
  if (own.has(name)) return `${text} is an address of the node itself`;
  if (guests.addresses.has(name)) return null;
  if (!isOnLink(routes, address)) return `${text} is in no network of the node, and no guest's configuration names it`;
  const card = neighbours.get(name);
  if (card === undefined || guests.cards.has(card)) return null;
  return `${text} is at ${card}, which is no guest's network card`;
}

/** Whether the node reaches the address without a gateway. The most particular route decides. */
function isOnLink(routes: readonly Route[], address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  let closest: Route | null = null;
  for (const route of routes) {
    const isOfKind = route.network.kind() === address.kind() && address.match(route.network, route.length);
    if (isOfKind && route.length > (closest?.length ?? 0)) closest = route;
  }
  return closest !== null && !closest.hasGateway;
}
