// Gives believable load figures that depend on nothing but the clock and what runs.
import type { Counters, Guest } from "../state/guest.js";
import type { SimulatedNode } from "../state/node.js";
import type { PlatformState } from "../state/platform.js";
import { guestProcessors } from "./capacity.js";

const hostShare = 0.01;
const hostMemoryBytes = 1.5 * 1024 ** 3;

/** Processor use of a guest as a fraction of its own processors, at a time in seconds. */
export function guestCpu(guest: Guest, seconds: number): number {
  if (guest.runtime === null || guest.runtime.qmpstatus === "paused") return 0;
  return clamp(guest.runtime.cpu * wave(guest.vmid, seconds));
}

/** Processor use of a node, 0..1: what was set for it, or the sum of its guests. */
export function nodeCpu(state: PlatformState, node: SimulatedNode, seconds: number): number {
  if (node.cpuLoad !== null) return clamp(node.cpuLoad * wave(node.nodeId + node.name.length, seconds));
  const guests = guestsOn(state, node).map((guest) => guestCpu(guest, seconds) * guestProcessors(guest, node));
  return clamp(hostShare * wave(node.nodeId, seconds) + sum(guests) / node.cpus);
}

/** Bytes of memory in use on a node: what was set for it, or the sum of its guests. */
export function nodeMemory(state: PlatformState, node: SimulatedNode): number {
  if (node.memoryUsedBytes !== null) return node.memoryUsedBytes;
  const guests = guestsOn(state, node).map((guest) => guest.runtime?.memoryBytes ?? 0);
  return Math.min(node.memoryBytes, hostMemoryBytes + sum(guests));
}

const nothing: Counters = { netin: 0, netout: 0, diskread: 0, diskwrite: 0 };

/** Bytes that have gone through a guest since it was started, or since its counters were set. */
export function guestCounters({ runtime }: Guest, nowMs: number): Counters {
  if (runtime === null) return nothing;
  const { atMs, ...base } = runtime.counters ?? { ...nothing, atMs: runtime.startedAtMs };
  const seconds = Math.max(0, Math.floor((nowMs - atMs) / 1000));
  const rate = Math.round(runtime.cpu * 40_000);
  return { ...base, netin: base.netin + seconds * rate, netout: base.netout + Math.round(seconds * rate * 0.6) };
}

function guestsOn(state: PlatformState, node: SimulatedNode): Guest[] {
  return [...state.guests.values()].filter((guest) => guest.node === node.name);
}

/** A slow swing of a few percent around 1, different for every seed. */
function wave(seed: number, seconds: number): number {
  return 1 + 0.06 * Math.sin(seconds / 97 + seed) + 0.03 * Math.sin(seconds / 13 + seed * 3);
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
