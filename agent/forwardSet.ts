// Decides whether a set of port forwards from outside can be applied as a whole.
import { isIPv6, isIP } from "node:net";
import { isIntegerBetween, isObject, isText } from "./check.js";
import type { PortForward } from "./platform/platform.js";

const HIGHEST_PORT = 65_535;

/** Reads the wire form (snake_case) of a node's forwards; throws with the position of the first bad one. */
export function parseForwards(input: unknown): PortForward[] {
  if (!Array.isArray(input)) throw new Error("forwards must be a list");
  const forwards = input.map((entry: unknown, index) => parseForward(entry, `forwards[${index}]`));
  refuseSharedPorts(forwards);
  return forwards;
}

/** The wire form that {@link parseForwards} reads. */
export function forwardsToWire(forwards: readonly PortForward[]): unknown[] {
  return forwards.map((forward) => ({
    id: forward.id,
    protocol: forward.protocol,
    public_port: forward.publicPort,
    guest_address: forward.guestAddress,
    guest_port: forward.guestPort,
  }));
}

function parseForward(input: unknown, where: string): PortForward {
  if (!isObject(input)) throw new Error(`${where} must be an object`);
  const { id, protocol, public_port: publicPort, guest_address: guestAddress, guest_port: guestPort } = input;
  if (!isText(id) && !isIntegerBetween(id, 0, Number.MAX_SAFE_INTEGER)) throw new Error(`${where}.id is missing`);
  if (protocol !== "tcp" && protocol !== "udp") throw new Error(`${where}.protocol must be tcp or udp`);
  if (!isIntegerBetween(publicPort, 1, HIGHEST_PORT)) throw new Error(`${where}.public_port must be 1 to 65535`);
  if (!isText(guestAddress) || isIP(guestAddress) === 0 || guestAddress.includes("%")) {
    throw new Error(`${where}.guest_address must be an IPv4 or IPv6 address`);
  }
  if (!isIntegerBetween(guestPort, 1, HIGHEST_PORT)) throw new Error(`${where}.guest_port must be 1 to 65535`);
  return { id: String(id), protocol, publicPort, guestAddress, guestPort };
}

/** One public port leads to one guest; IPv4 and IPv6 have ports of their own. */
function refuseSharedPorts(forwards: readonly PortForward[]): void {
  const taken = new Map<string, string>();
  for (const { id, protocol, publicPort, guestAddress } of forwards) {
    const key = `${protocol} port ${publicPort} (${isIPv6(guestAddress) ? "IPv6" : "IPv4"})`;
    const other = taken.get(key);
    if (other !== undefined) throw new Error(`forwards ${other} and ${id} both want public ${key}`);
    taken.set(key, id);
  }
}
