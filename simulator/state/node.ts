// Describes a node: its hardware, load, interfaces and whether it is up.

/** An interface as the network list shows it. */
export interface NetworkInterface {
  iface: string;
  type: string;
  active: boolean;
  autostart: boolean;
  /** `address/prefix`, or null when it has no address. */
  cidr: string | null;
  gateway: string | null;
  bridgePorts: string;
  vlanAware: boolean;
  /** False for interfaces that the kernel has and the configuration file has not. */
  configured: boolean;
  /** Largest frame, bytes; null: none stated, so 1500. */
  mtu: number | null;
}

/** What the kernel tells of a processor. */
interface Processor {
  model: string;
  vendor: string;
  /** Separated by blanks. */
  flags: string;
}

/** One member of a platform. */
export interface SimulatedNode {
  name: string;
  /** 0 on a standalone node. */
  nodeId: number;
  address: string;
  online: boolean;
  cpus: number;
  memoryBytes: number;
  rootBytes: number;
  rootUsedBytes: number;
  /** Share of the processors that the host itself and unseen work use, 0..1; null: derived from its guests. */
  cpuLoad: number | null;
  /** Bytes in use; null: derived from its guests. */
  memoryUsedBytes: number | null;
  processor: Processor;
  /** Full package version such as `9.2.11`. */
  version: string;
  /** Installed versions by package that differ from those of the node's release. */
  packages: Record<string, string>;
  /** What its packages are built for. */
  architecture: "amd64" | "arm64";
  bootedAtMs: number;
  /** SHA-256 of its certificate, colon-separated upper-case pairs. */
  fingerprint: string;
  /** Certificate in PEM. */
  certificate: string;
  /** Certificate of the authority that signed it, in PEM; empty when it signed itself. */
  authority: string;
  network: NetworkInterface[];
}

/** A plain Linux bridge of the network configuration. */
export function bridge(iface: string, overrides: Partial<NetworkInterface> = {}): NetworkInterface {
  return {
    iface,
    type: "bridge",
    active: true,
    autostart: true,
    cidr: null,
    gateway: null,
    bridgePorts: "",
    vlanAware: false,
    configured: true,
    mtu: null,
    ...overrides,
  };
}
