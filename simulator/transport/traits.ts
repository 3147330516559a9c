// Says in what the transport of one Proxmox VE release differs from another.

/** Differences that a client can see, by release (proxmox-api.md section 1; pve-http-server history). */
export interface TransportTraits {
  /** JSON errors carry `message`, plain ones a body, and a handler that dies answers 500 instead of 501 (http-server 5.2.0). */
  errorsInBody: boolean;
  /** Largest request body in bytes (512 KiB since http-server 5.2.1). */
  bodyLimit: number;
  /** A repeated parameter becomes a list (http-server 5.0.2); before, its values were joined by a zero byte. */
  listsOfParameters: boolean;
}

/**
 * Picks the traits of a release.
 * @param version `9.2.11`, `8.4`, or `7.4-16`; without a third number the last update of that release is meant
 */
export function transportTraits(version: string): TransportTraits {
  const since = (major: number, minor: number, patch = 0): boolean => isAtLeast(version, [major, minor, patch]);
  return {
    errorsInBody: since(8, 4),
    bodyLimit: (since(8, 4) ? 512 : 64) * 1024,
    listsOfParameters: since(8, 0),
  };
}

function isAtLeast(version: string, wanted: readonly number[]): boolean {
  const parts = version.split(/[.-]/).map(Number);
  for (const [index, limit] of wanted.entries()) {
    const part = parts[index] ?? Number.POSITIVE_INFINITY;
    if (part !== limit) return part > limit;
  }
  return true;
}
