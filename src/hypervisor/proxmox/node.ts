// Asks about one node: its bridges, the volumes on its storages, its last hour.
import { z } from "zod";
import type { NodeHistorySample, ObservedNetwork, StorageVolume } from "../observed.js";
import type { Ask } from "./client.js";
import { amountOrNull, amountOrZero, flag, listOf, numberIn, records, text, textOrNull, understand } from "./parse.js";
import { apiPath } from "./path.js";

const networksAnswer = listOf(
  z.object({
    iface: text,
    type: text,
    active: flag,
    cidr: textOrNull,
    address: textOrNull,
    netmask: textOrNull,
    mtu: amountOrNull,
  }),
);

const volumesAnswer = listOf(
  z.object({
    volid: text,
    content: textOrNull,
    format: textOrNull,
    size: amountOrNull,
    "approximate-size": amountOrZero,
    vmid: amountOrNull,
  }),
);

/** Bridges of every kind that a guest can be attached to, SDN networks included. */
export async function readNetworks(ask: Ask, node: string): Promise<readonly ObservedNetwork[]> {
  const path = apiPath`/nodes/${node}/network`;
  const { data } = await ask({ method: "GET", path, parameters: { type: "any_bridge" } });
  return understand(networksAnswer, data, path).map(({ iface, type, active, cidr, address, netmask, mtu }) => ({
    name: iface,
    type,
    active,
    cidr: cidr ?? (address !== null && netmask !== null ? `${address}/${netmask}` : null),
    mtu,
  }));
}

/** @param content such as `vztmpl`; undefined: all. Slow on network storages, and hangs when one of them is away. */
export async function readVolumes(
  ask: Ask,
  { node, storage, content }: { node: string; storage: string; content: string | undefined },
): Promise<readonly StorageVolume[]> {
  const path = apiPath`/nodes/${node}/storage/${storage}/content`;
  const { data } = await ask({ method: "GET", path, parameters: { content }, slow: true });
  return understand(volumesAnswer, data, path).map((volume) => ({
    volid: volume.volid,
    content: volume.content ?? content ?? "unknown",
    format: volume.format,
    sizeBytes: volume.size ?? volume["approximate-size"],
    vmid: volume.vmid,
  }));
}

/**
 * Since every version keeps an hour as 60 samples of a minute; minutes without figures are left out. Read by hand: what a schema
 * makes of 60 rows a node outlives the young generation where many nodes are asked at once.
 */
export async function readHistory(ask: Ask, node: string): Promise<readonly NodeHistorySample[]> {
  const path = apiPath`/nodes/${node}/rrddata`;
  const { data } = await ask({ method: "GET", path, parameters: { timeframe: "hour", cf: "AVERAGE" } });
  const samples: NodeHistorySample[] = [];
  for (const { time, cpu, memused } of records(data, path)) {
    const [seconds, cpuUsage, memoryUsedBytes] = [numberIn(time), numberIn(cpu), numberIn(memused)];
    if (seconds === null || cpuUsage === null || memoryUsedBytes === null) continue;
    samples.push({ at: seconds * 1000, cpuUsage, memoryUsedBytes });
  }
  return samples;
}
