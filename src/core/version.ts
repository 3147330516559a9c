// Compares dotted version numbers of the hypervisor, its packages and the agent.

/** Migration between hosts exists since this Proxmox VE release. */
export const MINIMUM_MIGRATION_VERSION = "7.3";

/** Oldest version of the on-host agent that speaks the protocol as this service does. */
export const REQUIRED_AGENT_VERSION = "1.0.0";

/**
 * Compares by number, part by part; a missing part counts as 0, and what follows the first character that is neither a
 * digit nor a separator (`.` or `-`) is ignored: `8.4.5` > `8.4`, `7.4-16` > `7.3`, `9.0~beta1` = `9.0`.
 * @returns negative when `left` is older, 0 when equal, positive when `left` is newer.
 */
export function compareVersions(left: string, right: string): number {
  const leftParts = parts(left);
  const rightParts = parts(right);
  for (let index = 0; index < Math.max(leftParts.length, rightParts.length); index++) {
    const difference = (leftParts[index] ?? 0) - (rightParts[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** @returns whether `version` is `minimum` or newer; false when it is unknown or has no number in it. */
export function isAtLeast(version: string | null, minimum: string): boolean {
  return version !== null && /^\d/.test(version) && compareVersions(version, minimum) >= 0;
}

const parts = (version: string): number[] => (/^\d+(?:[.-]\d+)*/.exec(version)?.[0] ?? "0").split(/[.-]/).map(Number);
