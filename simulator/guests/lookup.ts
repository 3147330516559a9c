// Finds the guest that a call is about, as the node's configuration files have it.
import { failure } from "../api.js";
import type { Call } from "../route.js";
import { vmidOf } from "../route.js";
import type { Guest, GuestType } from "../state/guest.js";
import { configFile } from "../state/guest.js";
import type { PlatformState } from "../state/platform.js";

/** Null when the node has no such guest. */
export function findGuest(state: PlatformState, type: GuestType, vmid: number, node: string): Guest | null {
  const guest = state.guests.get(vmid);
  return guest !== undefined && guest.type === type && guest.node === node ? guest : null;
}

/** @throws ApiError 500 when the node has no such guest */
export function guestOn(state: PlatformState, type: GuestType, vmid: number, node: string): Guest {
  const guest = findGuest(state, type, vmid, node);
  if (guest === null) throw failure(`Configuration file '${configFile(type, vmid, node)}' does not exist`);
  return guest;
}

/** The guest named in the path of the call. */
export function guestOf(call: Call, type: GuestType): Guest {
  return guestOn(call.platform.state, type, vmidOf(call), nodeOf(call));
}

/** Node named in the path of the call. */
export function nodeOf(call: Call): string {
  const node = call.parameters.text("node");
  return node === "localhost" ? call.answeringNode : node;
}

/** Refuses a VMID that any guest of the cluster has. */
export function checkVmidUnused(state: PlatformState, vmid: number): void {
  const guest = state.guests.get(vmid);
  if (guest === undefined) return;
  throw failure(`${guest.type === "lxc" ? "CT" : "VM"} ${vmid} already exists on node '${guest.node}'`);
}
