// Refuses what a member of a cluster refuses while it does not see most of the others: its configuration files are read-only then.
import { failure } from "../api.js";
import type { Guest } from "./guest.js";
import type { PlatformState } from "./platform.js";

type Members = Pick<PlatformState, "clusterName" | "nodes">;

/** A standalone node is a majority of one. */
export function isQuorate({ clusterName, nodes }: Members): boolean {
  const online = [...nodes.values()].filter((node) => node.online).length;
  return clusterName === null || online * 2 > nodes.size;
}

/** What makes, starts or moves guests asks before it begins. @throws ApiError 500 */
export function requireQuorum(state: Members): void {
  if (!isQuorate(state)) throw failure("cluster not ready - no quorum?");
}

/** What changes a guest meets it when it writes. @throws ApiError 500 */
export function requireWritable(state: Members, { type, node, vmid }: Pick<Guest, "type" | "node" | "vmid">): void {
  if (isQuorate(state)) return;
  const file = `/etc/pve/nodes/${node}/${type === "qemu" ? "qemu-server" : "lxc"}/${vmid}.conf`;
  throw failure(`unable to open file '${file}.tmp.${process.pid}' - Permission denied`);
}

/** What changes users, tokens, roles and rules takes the cluster's lock on them first. @throws ApiError 500 */
export function requireUserLock(state: Members): void {
  if (!isQuorate(state)) throw failure("cfs-lock 'file-user_cfg' error: no quorum!");
}
