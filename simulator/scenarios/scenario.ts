// What a scenario is: the contents that a simulated host starts with.
import type { Platform } from "../platform.js";
import type { PlatformOptions } from "../create.js";

/** What a scenario is told about the host that it furnishes. */
export interface Stage {
  /** Host name, which the contents are derived from. */
  name: string;
  nodes: string[];
}

/** Contents of a fresh host. */
export interface Scenario {
  /** Nodes, storages and volumes. */
  platform(stage: Stage): Pick<PlatformOptions, "clusterName" | "nodes" | "storages" | "volumes">;
  /** Guests and whatever else needs a living platform. */
  furnish(platform: Platform, stage: Stage): void;
}
