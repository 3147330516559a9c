// Tells which version of the migration tunnel a node speaks. The source of a move opens it, and refuses a target whose tunnel is older.
import type { GuestType } from "../enums.js";
import { compareVersions } from "../version.js";

/** The versions that a node runs; null: not known. */
export interface NodeVersions {
  /** Proxmox VE's. */
  readonly version: string | null;
  /** Of the package that moves machines, such as `9.2.6`. */
  readonly qemuServer: string | null;
  /** Of the package that moves containers, such as `6.1.10`. */
  readonly pveContainer: string | null;
}

/** The tunnel versions of a node, by what moves; null: not known, or none. */
export type Tunnels = Readonly<Record<GuestType, number | null>>;

/** Versions of a package that speak one version of the tunnel, first and last; no last one: nothing newer is known to differ. */
interface Span {
  readonly tunnel: number;
  readonly first: string;
  readonly last?: string;
}

/**
 * A version between two spans may speak either: the release of the whole platform decides. Of 9.3 only that its tunnel is newer is
 * announced; its packages are taken to begin with these versions.
 */
const MACHINES: readonly Span[] = [
  { tunnel: 2, first: "7.2-10", last: "9.2.7" },
  { tunnel: 3, first: "9.3" },
];
const CONTAINERS: readonly Span[] = [
  { tunnel: 2, first: "4.3-4", last: "6.1.14" },
  { tunnel: 3, first: "6.2" },
];
const RELEASES: readonly Span[] = [
  { tunnel: 2, first: "7.3", last: "9.2.999" },
  { tunnel: 3, first: "9.3" },
];

/** @returns the tunnel versions that these versions speak. */
export const tunnelsOf = ({ version, qemuServer, pveContainer }: NodeVersions): Tunnels => ({
  qemu: spoken(MACHINES, qemuServer) ?? spoken(RELEASES, version),
  lxc: spoken(CONTAINERS, pveContainer) ?? spoken(RELEASES, version),
});

function spoken(spans: readonly Span[], version: string | null): number | null {
  if (version === null) return null;
  const isIn = ({ first, last }: Span): boolean =>
    compareVersions(version, first) >= 0 && (last === undefined || compareVersions(version, last) <= 0);
  return spans.find(isIn)?.tunnel ?? null;
}

/** @returns whether a node is known to refuse what a source sends: its tunnel is older. */
export const isOlderTunnel = (target: number | null, source: number | null): boolean =>
  target !== null && source !== null && target < source;

/** @returns the version of what moves guests of this type, for people: `qemu-server 9.2.6 (Proxmox VE 9.2.11)`. */
export function describeVersions(type: GuestType, { version, qemuServer, pveContainer }: NodeVersions): string {
  const [name, ofPackage] = type === "qemu" ? ["qemu-server", qemuServer] : ["pve-container", pveContainer];
  const release = `Proxmox VE ${version ?? "of an unknown version"}`;
  return ofPackage === null ? release : `${name} ${ofPackage} (${release})`;
}
