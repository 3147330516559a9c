// Names the Proxmox VE releases that a simulated host can be started as and compares them.

export const releases = ["7.4", "8.4", "9.2"] as const;

/** A release whose parameter tables the simulator holds. */
export type Release = (typeof releases)[number];

const facts: Record<Release, { version: string; repoid: string; qemu: string; kernel: string }> = {
  "7.4": { version: "7.4-16", repoid: "0f39f621", qemu: "7.2.0", kernel: "5.15.108-1-pve" },
  "8.4": { version: "8.4.14", repoid: "b502d23c55afcba1", qemu: "9.2.0", kernel: "6.8.12-15-pve" },
  "9.2": { version: "9.2.11", repoid: "14a22df3", qemu: "11.0.2", kernel: "6.17.4-1-pve" },
};

export function releaseFacts(release: Release): (typeof facts)[Release] {
  return facts[release];
}

/** True when `release` is `minimum` or newer. */
export function atLeast(release: Release, minimum: Release): boolean {
  return releases.indexOf(release) >= releases.indexOf(minimum);
}
