// Names what a node listens for itself: a forward of such a port would take it away from the node.

interface NodeService {
  readonly name: string;
  readonly protocols: readonly string[];
  readonly first: number;
  readonly last: number;
}

/** The ports that Proxmox VE's own firewall documentation counts as the node's. */
const SERVICES: readonly NodeService[] = [
  { name: "SSH", protocols: ["tcp"], first: 22, last: 22 },
  { name: "rpcbind", protocols: ["tcp", "udp"], first: 111, last: 111 },
  { name: "the SPICE proxy", protocols: ["tcp"], first: 3128, last: 3128 },
  { name: "the cluster's own traffic", protocols: ["udp"], first: 5405, last: 5412 },
  { name: "consoles", protocols: ["tcp"], first: 5900, last: 5999 },
  { name: "the platform's API", protocols: ["tcp"], first: 8006, last: 8006 },
  { name: "migrations inside the cluster", protocols: ["tcp"], first: 60_000, last: 60_050 },
];

/** @returns what the node has the port for; null: nothing. */
export function nodeServiceOn(protocol: string, port: number): string | null {
  const service = SERVICES.find(
    ({ protocols, first, last }) => protocols.includes(protocol) && port >= first && port <= last,
  );
  return service?.name ?? null;
}
