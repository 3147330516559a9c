// Nodes that are ready for new containers, and one to be made on them.
import type { GuestCreateRequest } from "../../src/core/guest/specification.js";
import { fromNow, type Rows } from "../support/rows.js";

const TEMPLATE = "local:vztmpl/debian-12.tar.zst";

export const REQUEST: GuestCreateRequest = {
  type: "lxc",
  node: "auto",
  name: "box",
  cores: 1,
  memoryMb: 512,
  diskGb: 1,
  osTemplate: TEMPLATE,
  password: "correct horse",
};

/** The hosts alpha and beta, with nodes of so much memory: `hostIds` names the host of each. Nodes 1, 2… are called pve1, pve2… */
export function fleet(hostIds: readonly number[], memoryMb: number): Rows {
  const nodeIds = [...hostIds.keys()].map((index) => index + 1);
  const read = { cpu_average_30m: 0.1, sampled_at: fromNow(0) };
  const room = { total_bytes: 1e13, free_bytes: 1e13 };
  return {
    host: ["alpha", "beta"].map((name) => ({ name, last_sync_at: fromNow(0) })),
    node: hostIds.map((host, index) => ({
      host_id: host,
      name: `pve${index + 1}`,
      status: "online",
      cpu_cores: 16,
      memory_mb: memoryMb,
      ...read,
    })),
    agent: nodeIds.map((node) => ({ node_id: node, healthy: true, last_seen_at: fromNow(0) })),
    storage: nodeIds.map((node) => ({ node_id: node, content: ["rootdir", "vztmpl"], active: true, ...room })),
    node_file: nodeIds.map((node) => ({ node_id: node, volid: TEMPLATE })),
  };
}
