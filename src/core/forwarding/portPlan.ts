// Plans how a guest's port forwards move to the NAT of another node, and where taken public ports go.
import { nodeServiceOn } from "./nodePorts.js";

interface PortForward {
  readonly id: number;
  /** `tcp` or `udp`. */
  readonly protocol: string;
  readonly publicPort: number;
}

/** What happens to one forward, as GraphQL and REST v1 show it. */
export interface PortForwardMove {
  readonly forwardId: number;
  readonly protocol: string;
  readonly publicPort: number;
  readonly newPublicPort: number;
  readonly dropped: boolean;
  readonly explanation: string;
}

/** The ports that are open to everybody: lower ones belong to services of the node itself. */
export const LOWEST_ASSIGNED_PORT = 1024;
export const HIGHEST_PORT = 65_535;

/** @returns the key of a public port among both protocols. */
export const portKey = (protocol: string, port: number): string => `${protocol}/${port}`;

/** @param taken ports in use on the target node, by `portKey`. @param drop the operator gives the forwards up. */
export function planPortForwards(
  forwards: readonly PortForward[],
  taken: ReadonlySet<string>,
  drop: boolean,
): PortForwardMove[] {
  const used = new Set(taken);
  return forwards.map((forward) => {
    if (drop) return moveOf(forward, null, "dropped, as the operator chose");
    const port = freePort(forward, used);
    if (port === null) return moveOf(forward, null, "dropped: no public port is free on the target");
    used.add(portKey(forward.protocol, port));
    const isKept = port === forward.publicPort;
    return moveOf(forward, port, isKept ? "kept" : `${forward.publicPort} is taken on the target, becomes ${port}`);
  });
}

const moveOf = ({ id, protocol, publicPort }: PortForward, port: number | null, explanation: string) => ({
  forwardId: id,
  protocol,
  publicPort,
  newPublicPort: port ?? publicPort,
  dropped: port === null,
  explanation: `${protocol} ${explanation}`,
});

/** The same port if it is free, else the next one that is, from the lowest again after the highest; none of the node's own. */
function freePort({ protocol, publicPort }: PortForward, used: ReadonlySet<string>): number | null {
  const isFree = (port: number): boolean =>
    !used.has(portKey(protocol, port)) && nodeServiceOn(protocol, port) === null;
  if (isFree(publicPort)) return publicPort;
  const count = HIGHEST_PORT - LOWEST_ASSIGNED_PORT + 1;
  const start = Math.max(publicPort + 1, LOWEST_ASSIGNED_PORT) - LOWEST_ASSIGNED_PORT;
  for (let step = 0; step < count; step++) {
    const port = LOWEST_ASSIGNED_PORT + ((start + step) % count);
    if (isFree(port)) return port;
  }
  return null;
}
