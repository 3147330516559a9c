// Writes and reads UPIDs, the names of tasks: node, process, start, type, object and user in one string.

/** What a UPID tells. */
export interface UpidParts {
  node: string;
  pid: number;
  /** Process start in clock ticks since boot. */
  pstart: number;
  /** Seconds since the epoch. */
  starttime: number;
  type: string;
  /** VMID as text, another object, or empty. */
  id: string;
  /** `root@pam` or `root@pam!token`. */
  user: string;
}

const form =
  /^UPID:([a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?):([0-9A-Fa-f]{8}):([0-9A-Fa-f]{8,9}):([0-9A-Fa-f]{8}):([^:\s/]+):([^:\s/]*):([^:\s/]+):$/;

export function encodeUpid(parts: UpidParts): string {
  const numbers = [parts.pid, parts.pstart, parts.starttime].map(hex).join(":");
  return `UPID:${parts.node}:${numbers}:${parts.type}:${parts.id}:${parts.user}:`;
}

/** Null when the text is no UPID. */
export function decodeUpid(upid: string): UpidParts | null {
  const match = form.exec(upid);
  if (match === null) return null;
  const [, node = "", pid = "", pstart = "", starttime = "", type = "", id = "", user = ""] = match;
  return {
    node,
    pid: Number.parseInt(pid, 16),
    pstart: Number.parseInt(pstart, 16),
    starttime: Number.parseInt(starttime, 16),
    type,
    id,
    user,
  };
}

function hex(value: number): string {
  return value.toString(16).toUpperCase().padStart(8, "0");
}
