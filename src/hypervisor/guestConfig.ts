// What a host's configuration says of one guest.
import type { Card, StaticAddress } from "../core/inventory/card.js";
import type { Disk } from "../core/inventory/disk.js";
import type { LockCause } from "../core/inventory/lock.js";
import type { GuestMarks } from "../core/inventory/identity.js";
import type { ConfiguredTraits } from "../core/migration/guestTraits.js";
import type { MachineHardware } from "../core/migration/hardware.js";

/** Settings of a guest as its platform writes them: to be compared, kept and handed back, and read by the driver alone. */
export type PlatformSettings = Readonly<Record<string, string>>;

/** A guest's configuration. */
export interface GuestConfig {
  /** The note on it, without blanks at its end. */
  readonly note: string;
  /** As the platform calls it; null: it is not locked. */
  readonly lock: string | null;
  readonly lockCause: LockCause | null;
  readonly isTemplate: boolean;
  /** Whether the platform refuses to remove it. */
  readonly isProtected: boolean;
  readonly tags: readonly string[];
  /** Virtual CPUs; null: a container that may use all of its node's. */
  readonly cores: number | null;
  readonly memoryMb: number;
  readonly disks: readonly Disk[];
  /** The disk with the system; null: there is none. */
  readonly systemDisk: Disk | null;
  /** Volumes that are disks of this guest by their names, and no media. */
  readonly ownVolumes: readonly string[];
  readonly cards: readonly Card[];
  readonly addresses: readonly StaticAddress[];
  /** Distinguishes it from other guests of its VMID. */
  readonly marks: GuestMarks;
  readonly traits: ConfiguredTraits;
  readonly hardware: MachineHardware;
  /** Storage for a machine's states; null: none is stated. */
  readonly stateStorage: string | null;
  readonly containerRights: ContainerRights;
  readonly settings: PlatformSettings;
  /** Names of those that change while a guest is unlocked and removed. */
  readonly passingSettings: readonly string[];
  /** Those of them that a reinstalled guest keeps. */
  readonly keptSettings: PlatformSettings;
  /** Changes with every change of the configuration. */
  readonly digest: string;
}

/** What a container may do on its node; of what an API token may ask for. It means nothing for a machine. */
export interface ContainerRights {
  /** Its superuser is nobody on the node. */
  readonly unprivileged: boolean;
  /** It may run containers itself. */
  readonly nesting: boolean;
}
