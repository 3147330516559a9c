// Says in what the snapshots of VMs and of containers differ.
import type { Call } from "../route.js";
import type { Platform } from "../platform.js";
import type { ConfigValues, Guest, GuestType } from "../state/guest.js";

/** A volume that a snapshot takes in, and the entry that names it. */
interface SnapshotVolume {
  key: string;
  volid: string;
}

/** What is peculiar to the snapshots of one guest type. */
export interface SnapshotHabits {
  type: GuestType;
  /** Start of the names of its tasks. */
  taskPrefix: "qm" | "vz";
  /** The reserved name, beside `current`, that a snapshot of this name would stand for; null when there is none. */
  reservedName: (name: string) => string | null;
  /** What the configuration file makes of a description. */
  description: (text: string) => string;
  volumes: (platform: Platform, config: ConfigValues) => SnapshotVolume[];
  /** What the task says when it takes a volume; null: nothing. */
  says: (volume: SnapshotVolume) => string | null;
  keepsMemory: (call: Call, guest: Guest) => boolean;
  /** Starts a guest after a rollback. */
  start: (call: Call, guest: Guest) => void;
}
