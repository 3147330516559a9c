// What the agent needs from the machine it runs on, whether that is a real node or a simulated one.
export interface Platform {
  /** How the node is now; null when the node itself is off, which only a simulated one can say. */
  observe(): Promise<Observation | null>;
  /** Removes the lock of a guest. Repeatable. Throws with the platform's own words. */
  unlockGuest(guest: GuestAddress, timeoutMs: number): Promise<void>;
  /**
   * Makes these the node's only port forwards, also after a restart of the node. Repeatable. Throws why the node does not take some
   * of them; the others are in force then, and none that is not among them.
   */
  applyForwards(forwards: readonly PortForward[]): Promise<void>;
  /** Frees what the platform holds. */
  close(): void;
}

export interface Observation {
  readonly hypervisorVersion: string | null;
  /** Each a sentence for the operator; the agent is healthy when there is none. */
  readonly problems: readonly string[];
  readonly natConfigured: boolean;
  readonly publicAddress: string | null;
  /** Fraction of all cores that was busy since the last observation, 0..1. */
  readonly cpuUsage: number;
  readonly memoryMb: number;
  readonly memoryUsedMb: number;
}

interface GuestAddress {
  readonly type: "qemu" | "lxc";
  readonly vmid: number;
}

export interface PortForward {
  readonly id: string;
  readonly protocol: "tcp" | "udp";
  readonly publicPort: number;
  /** IPv4 or IPv6. */
  readonly guestAddress: string;
  readonly guestPort: number;
}

/** The command that unlocks a guest on a node; a running argument list, never a shell line. */
export function unlockCommand(guest: GuestAddress): readonly [program: "qm" | "pct", ...rest: string[]] {
  return [guest.type === "qemu" ? "qm" : "pct", "unlock", String(guest.vmid)];
}
