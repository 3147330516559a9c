// What of a guest matters for moving it to another host: what its configuration says, and what is known of it beside.

/** What is known of a guest beside its configuration. */
interface GuestCircumstances {
  readonly safetyCopy: boolean;
  /** Names of its snapshots. */
  readonly snapshots: readonly string[];
  /** How many addresses of IP zones it has. */
  readonly panelAddresses: number;
  /** The job or platform task that works on it; null when none does. */
  readonly busyWith: string | null;
  readonly haManaged: boolean;
  readonly replicated: boolean;
  /** Configuration keys whose change waits for a restart. */
  readonly pendingKeys: readonly string[];
  /** Keys of disks that are attached at the next restart only. */
  readonly pendingDisks: readonly string[];
  /** Keys of disks whose size nothing tells; null: what disks it has was not read yet. */
  readonly unsizedDisks: readonly string[] | null;
}

/** What its configuration says. Lists name settings or volumes; an empty one is no obstacle. */
export interface ConfiguredTraits {
  readonly template: boolean;
  readonly lock: string | null;
  readonly pciDevices: readonly string[];
  readonly usbDevices: readonly string[];
  /** ISO files in CD drives, or the node's own drive. */
  readonly mountedMedia: readonly string[];
  readonly containerDevices: readonly string[];
  readonly rawLxcKeys: readonly string[];
  /** Paths of the node used as disks or mount points. */
  readonly hostPaths: readonly string[];
  readonly rootOnlySettings: readonly string[];
  readonly linkedClones: readonly string[];
  /** CPU model that the source host defines itself; null: one that every host knows. */
  readonly customCpu: string | null;
  /** Files of the source host that cloud-init reads whenever the machine starts. */
  readonly cloudInitFiles: readonly string[];
}

/** All of it. */
export interface GuestTraits extends GuestCircumstances, ConfiguredTraits {}

const NO_CIRCUMSTANCES: GuestCircumstances = {
  safetyCopy: false,
  snapshots: [],
  panelAddresses: 0,
  busyWith: null,
  haManaged: false,
  replicated: false,
  pendingKeys: [],
  pendingDisks: [],
  unsizedDisks: [],
};

/** A configuration of which nothing speaks against a move. */
export const PLAIN_TRAITS: ConfiguredTraits = {
  template: false,
  lock: null,
  pciDevices: [],
  usbDevices: [],
  mountedMedia: [],
  containerDevices: [],
  rawLxcKeys: [],
  hostPaths: [],
  rootOnlySettings: [],
  linkedClones: [],
  customCpu: null,
  cloudInitFiles: [],
};

/** Nothing that speaks against a move. */
export const NO_TRAITS: GuestTraits = { ...NO_CIRCUMSTANCES, ...PLAIN_TRAITS };
