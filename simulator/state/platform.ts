// Holds everything that one simulated platform knows: nodes, storages, volumes, guests and access rules.
import type { AccessState } from "./access.js";
import type { Guest } from "./guest.js";
import type { SimulatedNode } from "./node.js";
import type { StorageDefinition, Volume } from "./storage.js";

export interface PlatformState {
  /** Null on a standalone node. */
  clusterName: string | null;
  nodes: Map<string, SimulatedNode>;
  storages: Map<string, StorageDefinition>;
  volumes: Volume[];
  /** All guests of the cluster; a VMID is unique in it. */
  guests: Map<number, Guest>;
  /** VMIDs that backup jobs name, whether or not there is such a guest. */
  backedUp: Set<number>;
  /** Whether a further backup job takes in every guest. */
  backsUpAll: boolean;
  /** Tags that only who has Sys.Modify may give to guests. */
  registeredTags: Set<string>;
  /** `next-id` of the datacenter: the range of VMIDs for new guests, its upper bound not included. Null: not set. */
  nextId: { lower?: number; upper?: number } | null;
  /** Backup jobs by id, with their options as text. */
  backupJobs: Map<string, Record<string, string>>;
  /** Text of the cluster-wide firewall's file; null: there is none. */
  firewall: string | null;
  access: AccessState;
}
