// Opens the ports of all nodes of a host, on the same number wherever the system has an address for each of them.
import type { KeyedCertificate } from "./certificates.js";
import type { Listening } from "./listen.js";
import type { HostEndpoint } from "./hostEndpoint.js";
import { openPort } from "./server.js";

const attempts = 10;

/** Where one node of a host is reached. */
export interface NodeAddress {
  name: string;
  url: string;
  /** SHA-256 of its certificate. */
  fingerprint: string;
}

/** A node's place on this machine. */
interface Place {
  name: string;
  address: string;
  certificate: KeyedCertificate;
}

/** All open ports of a host. */
interface OpenPorts {
  port: number;
  /** At least the first node; on systems with one loopback address only that. */
  nodes: [NodeAddress, ...NodeAddress[]];
  close(): Promise<void>;
}

/**
 * Opens one port a node.
 * @param port 0 for any that is free on all addresses
 * @throws Error with the code of `listen`
 */
export async function openPorts(places: readonly Place[], port: number, endpoint: HostEndpoint): Promise<OpenPorts> {
  for (let attempt = 1; ; attempt += 1) {
    const opened: { place: Place; open: Listening }[] = [];
    try {
      for (const place of places) {
        const open = await openOne(place, opened[0]?.open.port ?? port, endpoint);
        if (open !== null) opened.push({ place, open });
      }
      return describe(opened);
    } catch (error) {
      await Promise.all(opened.map(({ open }) => open.close()));
      const mayRetry = port === 0 && attempt < attempts && hasCode(error, "EADDRINUSE");
      if (!mayRetry) throw error;
    }
  }
}

async function openOne(place: Place, port: number, endpoint: HostEndpoint): Promise<Listening | null> {
  try {
    return await openPort({ node: place.name, address: place.address, port, certificate: place.certificate }, endpoint);
  } catch (error) {
    // Systems other than Linux know only 127.0.0.1 unless told otherwise.
    if (hasCode(error, "EADDRNOTAVAIL")) return null;
    throw error;
  }
}

function describe(opened: { place: Place; open: Listening }[]): OpenPorts {
  const [first, ...others] = opened.map(({ place, open }) => ({
    name: place.name,
    url: `https://${place.address}:${open.port}`,
    fingerprint: place.certificate.fingerprint,
  }));
  const port = opened[0]?.open.port;
  if (first === undefined || port === undefined) throw new Error("a host needs at least one node");
  return {
    port,
    nodes: [first, ...others],
    close: async () => {
      await Promise.all(opened.map(({ open }) => open.close()));
    },
  };
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
